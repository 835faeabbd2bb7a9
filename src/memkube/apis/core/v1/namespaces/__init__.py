"""Namespaces: what the names of other objects are unique in."""
