"""CSIStorageCapacities: available storage in a part of the cluster."""

from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.table import NAME_AND_CREATION

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="CSIStorageCapacity",
    plural="csistoragecapacities",
    model=lazy("types:CSIStorageCapacity"),
    strategy=lazy("strategy:CSIStorageCapacityStrategy()"),
    printer=NAME_AND_CREATION,
)
