"""Scenarios: descriptions of what happens to a cluster at which time, played on a stepped clock.

This package acts on a cluster through the Python API only, and knows neither HTTP nor storage.
"""
