"""Reactions to nodes that are not ready (``pkg/controller/nodelifecycle``)."""
