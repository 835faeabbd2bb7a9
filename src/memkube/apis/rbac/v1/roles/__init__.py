"""Roles and ClusterRoles: sets of permissions."""
