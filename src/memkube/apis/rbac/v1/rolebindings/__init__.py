"""RoleBindings and ClusterRoleBindings: who has a role."""
