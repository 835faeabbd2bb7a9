"""Evictions: deletions of pods that ask the pods' disruption budgets first."""
