"""Maintains the status of PodDisruptionBudgets (``pkg/controller/disruption``)."""
