"""RuntimeClasses: container runtimes that pods can choose."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="node.k8s.io",
    version="v1",
    kind="RuntimeClass",
    plural="runtimeclasses",
    singular="runtimeclass",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.node.v1.runtimeclasses.types:RuntimeClass"),
    strategy=Lazy("memkube.apis.node.v1.runtimeclasses.strategy:RuntimeClassStrategy()"),
    printer=Lazy("memkube.apis.node.v1.runtimeclasses.columns:PRINTER"),
)
