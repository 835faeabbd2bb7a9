"""Commands on manifests without a cluster: validate, diff, and load from a live cluster.

Findings about a manifest are the errors of a server that creates it: this package has no validation rules of its own.
"""
