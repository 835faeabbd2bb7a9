"""TODO."""

from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.registry.strategy import Strategy


class PersistentVolumeClaimStrategy(Strategy[PersistentVolumeClaim]):
    """TODO."""


class PersistentVolumeClaimStatusStrategy(PersistentVolumeClaimStrategy):
    """TODO."""
