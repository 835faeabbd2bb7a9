"""Requests for groups and versions of extension API servers, which are proxied to them (kube-aggregator).

No request or response is kept whole in memory.
"""
