from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

CLUSTER_ROLE_BINDINGS = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="ClusterRoleBinding",
    plural="clusterrolebindings",
    namespaced=False,
    model=lazy("types:ClusterRoleBinding"),
    strategy=lazy("strategy:ClusterRoleBindingStrategy()"),
    printer=lazy("columns:PRINTER"),
)
ROLE_BINDINGS = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="RoleBinding",
    plural="rolebindings",
    model=lazy("types:RoleBinding"),
    strategy=lazy("strategy:RoleBindingStrategy()"),
    printer=lazy("columns:PRINTER"),
)
