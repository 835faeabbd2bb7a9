"""CSINodes: CSI drivers that are installed on a node."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="CSINode",
    plural="csinodes",
    singular="csinode",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.storage.v1.csinodes.types:CSINode"),
    strategy=Lazy("memkube.apis.storage.v1.csinodes.strategy:CSINodeStrategy()"),
    printer=Lazy("memkube.apis.storage.v1.csinodes.columns:PRINTER"),
)
