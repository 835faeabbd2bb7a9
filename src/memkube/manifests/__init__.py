"""Commands on manifests without a cluster: validate, diff, and load from a live cluster.

The findings about a manifest are the errors of a server that creates it: this package has no rules of its own.
"""
