"""TODO."""

from memkube.apis.rbac.v1.roles.types import ClusterRole, Role
from memkube.registry.strategy import Strategy


class ClusterRoleStrategy(Strategy[ClusterRole]):
    """TODO."""


class RoleStrategy(Strategy[Role]):
    """TODO."""
