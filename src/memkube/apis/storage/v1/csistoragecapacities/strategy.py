"""TODO."""

from memkube.apis.storage.v1.csistoragecapacities.types import CSIStorageCapacity
from memkube.registry.strategy import Strategy


class CSIStorageCapacityStrategy(Strategy[CSIStorageCapacity]):
    """TODO."""
