"""Evictions: deletions of pods that respect PodDisruptionBudgets."""
