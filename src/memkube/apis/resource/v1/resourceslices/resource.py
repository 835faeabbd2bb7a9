"""ResourceSlices: devices that there are."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource, name_field

RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceSlice",
    plural="resourceslices",
    singular="resourceslice",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.resource.v1.resourceslices.types:ResourceSlice"),
    strategy=Lazy("memkube.apis.resource.v1.resourceslices.strategy:ResourceSliceStrategy()"),
    printer=Lazy("memkube.apis.resource.v1.resourceslices.columns:PRINTER"),
)
