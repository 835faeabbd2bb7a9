"""TODO."""

from memkube.apis.storage.v1.volumeattachments.types import VolumeAttachment
from memkube.registry.strategy import Strategy


class VolumeAttachmentStrategy(Strategy[VolumeAttachment]):
    """TODO."""


class VolumeAttachmentStatusStrategy(VolumeAttachmentStrategy):
    """TODO."""
