"""Pods: groups of containers that run together on a node."""
