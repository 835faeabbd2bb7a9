"""The scheduler, which assigns pods to nodes (``pkg/scheduler``).

It binds pods through the subresource ``binding``, like any client.

A scheduling decision is made in memory without waiting: filter plugins select nodes, and score plugins rank them. Pods
and nodes are parsed once, when they change.
"""
