"""Proxy for the groups and versions that extension API servers serve (kube-aggregator).

Code of this package must not keep a whole request or response in memory.
"""
