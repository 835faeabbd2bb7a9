"""Requests for the groups and versions of extension API servers, which are proxied to those servers (kube-aggregator).

Nothing here may hold a whole request or response in memory.
"""
