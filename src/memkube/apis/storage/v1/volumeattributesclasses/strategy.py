"""TODO."""

from memkube.apis.storage.v1.volumeattributesclasses.types import VolumeAttributesClass
from memkube.registry.strategy import Strategy


class VolumeAttributesClassStrategy(Strategy[VolumeAttributesClass]):
    """TODO."""
