from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="resource.k8s.io",
    version="v1",
    kind="DeviceClass",
    plural="deviceclasses",
    namespaced=False,
    model=lazy("types:DeviceClass"),
    strategy=lazy("strategy:DeviceClassStrategy()"),
)
