"""Assigns pods to nodes (``pkg/scheduler``): a client like any other, which binds through the subresource ``binding``.

A decision is made in memory without waiting: filter plugins select nodes, score plugins rank them. Pods and nodes are
parsed once, when they change.
"""
