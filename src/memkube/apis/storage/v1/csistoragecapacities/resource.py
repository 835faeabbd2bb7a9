"""CSIStorageCapacities: available storage in a part of the cluster."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.table import NAME_AND_CREATION

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="CSIStorageCapacity",
    plural="csistoragecapacities",
    singular="csistoragecapacity",
    model=Lazy("memkube.apis.storage.v1.csistoragecapacities.types:CSIStorageCapacity"),
    strategy=Lazy("memkube.apis.storage.v1.csistoragecapacities.strategy:CSIStorageCapacityStrategy()"),
    printer=NAME_AND_CREATION,
)
