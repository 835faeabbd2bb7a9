"""CSIDrivers: capabilities of CSI volume drivers."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="CSIDriver",
    plural="csidrivers",
    singular="csidriver",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.storage.v1.csidrivers.types:CSIDriver"),
    strategy=Lazy("memkube.apis.storage.v1.csidrivers.strategy:CSIDriverStrategy()"),
    printer=Lazy("memkube.apis.storage.v1.csidrivers.columns:PRINTER"),
)
