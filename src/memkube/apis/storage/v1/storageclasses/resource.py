"""StorageClasses: named classes of storage."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="StorageClass",
    plural="storageclasses",
    singular="storageclass",
    namespaced=False,
    selectable_fields=name_field,
    short_names=("sc",),
    model=Lazy("memkube.apis.storage.v1.storageclasses.types:StorageClass"),
    strategy=Lazy("memkube.apis.storage.v1.storageclasses.strategy:StorageClassStrategy()"),
    printer=Lazy("memkube.apis.storage.v1.storageclasses.columns:PRINTER"),
)
