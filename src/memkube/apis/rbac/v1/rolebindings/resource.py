"""RoleBindings and ClusterRoleBindings: the users and groups that have a role."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

CLUSTER_ROLE_BINDINGS = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="ClusterRoleBinding",
    plural="clusterrolebindings",
    singular="clusterrolebinding",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.rbac.v1.rolebindings.types:ClusterRoleBinding"),
    strategy=Lazy("memkube.apis.rbac.v1.rolebindings.strategy:ClusterRoleBindingStrategy()"),
    printer=Lazy("memkube.apis.rbac.v1.rolebindings.columns:PRINTER"),
)
ROLE_BINDINGS = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    kind="RoleBinding",
    plural="rolebindings",
    singular="rolebinding",
    model=Lazy("memkube.apis.rbac.v1.rolebindings.types:RoleBinding"),
    strategy=Lazy("memkube.apis.rbac.v1.rolebindings.strategy:RoleBindingStrategy()"),
    printer=Lazy("memkube.apis.rbac.v1.rolebindings.columns:PRINTER"),
)
