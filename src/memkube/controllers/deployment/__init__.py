"""Rolls out Deployments: replaces their pods through ReplicaSets when the template changes."""
