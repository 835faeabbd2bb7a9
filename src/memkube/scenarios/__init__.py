"""Scenarios: timed actions on a cluster and checks of its objects, played on a stepped clock.

This package acts on a cluster through the Python API only, and imports neither HTTP code nor storage.
"""
