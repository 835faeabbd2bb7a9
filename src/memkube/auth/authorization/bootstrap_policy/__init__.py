"""Roles and bindings that a server with RBAC creates at its start, as data."""
