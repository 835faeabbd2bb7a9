"""Roles and ClusterRoles: what may be done."""
