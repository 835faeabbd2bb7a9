"""TODO."""

from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume
from memkube.registry.strategy import Strategy


class PersistentVolumeStrategy(Strategy[PersistentVolume]):
    """TODO."""


class PersistentVolumeStatusStrategy(PersistentVolumeStrategy):
    """TODO."""
