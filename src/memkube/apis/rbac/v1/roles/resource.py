from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.table import NAME_AND_CREATION

lazy = LazyPackage(__package__)

CLUSTER_ROLES = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="ClusterRole",
    plural="clusterroles",
    namespaced=False,
    model=lazy("types:ClusterRole"),
    strategy=lazy("strategy:ClusterRoleStrategy()"),
    printer=NAME_AND_CREATION,
)
ROLES = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="Role",
    plural="roles",
    model=lazy("types:Role"),
    strategy=lazy("strategy:RoleStrategy()"),
    printer=NAME_AND_CREATION,
)
