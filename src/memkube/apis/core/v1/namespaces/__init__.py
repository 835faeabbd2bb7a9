"""Namespaces: scopes for the names of objects."""
