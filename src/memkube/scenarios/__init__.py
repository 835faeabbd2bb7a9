"""Scenarios: timed actions on a cluster and checks of its objects.

They are played on a stepped clock, which stands still between the steps of the scenario.

This package acts on a cluster through the Python API only, and imports neither HTTP code nor storage.
"""
