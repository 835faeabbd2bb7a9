"""TODO."""

from memkube.apis.storage.v1.storageclasses.types import StorageClass
from memkube.registry.strategy import Strategy


class StorageClassStrategy(Strategy[StorageClass]):
    """TODO."""
