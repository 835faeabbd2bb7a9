"""Keeps numbers of pods of a template: ReplicaSets, and ReplicationControllers in the same way."""
