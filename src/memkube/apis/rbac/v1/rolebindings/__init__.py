"""RoleBindings and ClusterRoleBindings: the users and groups that have a role."""
