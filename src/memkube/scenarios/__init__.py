"""Scenarios: timed actions on a cluster and checks of its objects.

They are played on a stepped clock, which moves only when it is advanced. It stands still while a step of the scenario,
and what follows from it, is carried out.

This package acts on a cluster through the Python API only, and imports neither HTTP code nor storage.
"""
