"""Assigns pods to nodes (``pkg/scheduler``): a client like any other, which binds through the binding subresource.

A node is chosen in memory, without waiting for anything: the rules of `plugins` say which nodes a pod may run on, their
scores which of them suit it best. What pods and nodes are asked for again and again is parsed once, when they change.
"""
