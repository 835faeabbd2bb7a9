"""The control API, below ``/memkube/v1``: what a test does to a cluster that no client of Kubernetes could.

Nothing here serves Kubernetes' own API, and nothing there depends on this.
"""
