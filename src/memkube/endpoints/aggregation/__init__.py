"""Requests about groups and versions that other servers serve are passed on to them (kube-aggregator's ``apiserver``).

Nothing of a request or an answer is kept whole.
"""
