"""Counts what PodDisruptionBudgets allow (``pkg/controller/disruption``)."""
