"""Taints nodes that are not ready, and marks their pods as not ready (``pkg/controller/nodelifecycle``)."""
