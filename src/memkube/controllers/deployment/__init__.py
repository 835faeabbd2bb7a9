"""Replaces the pods of Deployments when their template changes, by way of ReplicaSets."""
