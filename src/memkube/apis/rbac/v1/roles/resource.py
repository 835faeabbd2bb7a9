"""Roles and ClusterRoles: sets of permissions."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field
from memkube.registry.declarations.table import NAME_AND_CREATION

CLUSTER_ROLES = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="ClusterRole",
    plural="clusterroles",
    singular="clusterrole",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.rbac.v1.roles.types:ClusterRole"),
    strategy=Lazy("memkube.apis.rbac.v1.roles.strategy:ClusterRoleStrategy()"),
    printer=NAME_AND_CREATION,
)
ROLES = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="Role",
    plural="roles",
    singular="role",
    model=Lazy("memkube.apis.rbac.v1.roles.types:Role"),
    strategy=Lazy("memkube.apis.rbac.v1.roles.strategy:RoleStrategy()"),
    printer=NAME_AND_CREATION,
)
