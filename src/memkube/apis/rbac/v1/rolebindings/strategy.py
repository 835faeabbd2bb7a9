"""TODO."""

from memkube.apis.rbac.v1.rolebindings.types import ClusterRoleBinding, RoleBinding
from memkube.registry.strategy import Strategy


class ClusterRoleBindingStrategy(Strategy[ClusterRoleBinding]):
    """TODO."""


class RoleBindingStrategy(Strategy[RoleBinding]):
    """TODO."""
