"""PodDisruptionBudgets: limits on voluntary disruptions of pods."""
