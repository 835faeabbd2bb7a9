"""PodDisruptionBudgets: how many pods of a selection must stay."""
