"""Scenarios: timed actions on a cluster and checks of its objects.

They are played on a stepped clock, which moves only when the scenario advances it. The clock stands still until a step
is performed and the controllers have reacted to it.

This package acts on a cluster through the Python API only, and imports neither HTTP code nor storage.
"""
