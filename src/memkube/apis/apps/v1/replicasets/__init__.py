"""ReplicaSets: keep a number of pods of one template."""
