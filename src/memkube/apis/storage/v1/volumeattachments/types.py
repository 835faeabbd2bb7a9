from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolumeSpec


class VolumeAttachmentSource(ApiModel):
    """The volume to attach: the name of a PersistentVolume, or an inline volume."""

    persistentVolumeName: str | None = Field(default=None, description="Name of the PersistentVolume to attach.")
    inlineVolumeSpec: PersistentVolumeSpec | None = Field(
        default=None, description="Inline volume of a pod, migrated from an in-tree driver to a CSI driver."
    )


class VolumeAttachmentSpec(ApiModel):
    """Volume, node and CSI driver of an attachment."""

    attacher: Annotated[str, Required()] = Field(
        default="", description="Name of the CSI driver that attaches and detaches the volume."
    )
    source: Annotated[VolumeAttachmentSource, Required()] = Field(
        default_factory=VolumeAttachmentSource, description="PersistentVolume or inline volume to attach."
    )
    nodeName: Annotated[str, Required()] = Field(default="", description="Name of the node to attach the volume to.")


class VolumeError(ApiModel):
    """Time, message and code of a failed attachment or detachment."""

    time: Annotated[Time | None, Always()] = Field(default=None, description="Time when attaching or detaching failed.")
    message: str = Field(default="", description="Error that the CSI driver returned, as human-readable text.")
    errorCode: Int32 | None = Field(default=None, description="gRPC status code that the CSI driver returned.")


class VolumeAttachmentStatus(ApiModel):
    """Observed state of a VolumeAttachment: whether the volume is attached, and the last error."""

    attached: Annotated[bool, Required()] = Field(
        default=False, description="True once the volume is attached to the node."
    )
    attachmentMetadata: dict[str, str] = Field(
        default_factory=dict,
        description="Driver-specific data for mounting, which the driver returned when it attached the volume.",
    )
    attachError: VolumeError | None = Field(
        default=None, description="Last error of attaching the volume; unset after success."
    )
    detachError: VolumeError | None = Field(
        default=None, description="Last error of detaching the volume; unset after success."
    )


class VolumeAttachment(ApiObject):
    """A request to attach a volume to a node."""

    spec: Annotated[VolumeAttachmentSpec, Required()] = Field(
        default_factory=VolumeAttachmentSpec, description="Volume to attach, its node and the CSI driver."
    )
    status: VolumeAttachmentStatus = Field(
        default_factory=VolumeAttachmentStatus,
        description="State of the attachment and the last error, written by the CSI attacher.",
    )
