"""DeviceClasses: named selections of devices."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="DeviceClass",
    plural="deviceclasses",
    singular="deviceclass",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.resource.v1.deviceclasses.types:DeviceClass"),
    strategy=Lazy("memkube.apis.resource.v1.deviceclasses.strategy:DeviceClassStrategy()"),
)
