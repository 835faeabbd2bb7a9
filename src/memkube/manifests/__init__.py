"""Manifests without a cluster: checked, compared, and copied out of clusters that there are.

What is said of a manifest is what a server says that somebody creates it on: rules stand below, none here.
"""
