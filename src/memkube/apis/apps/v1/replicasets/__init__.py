"""ReplicaSets: how many pods of a template there are to be."""
