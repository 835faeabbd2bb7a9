"""Ingresses: HTTP routes from outside the cluster to services."""
