"""VolumeAttachments: which volume is to be attached to which node."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolumeSpec


class VolumeAttachmentSource(ApiModel):
    """What is attached."""

    persistentVolumeName: str | None = Field(default=None, description="Name of the volume.")
    inlineVolumeSpec: PersistentVolumeSpec | None = Field(
        default=None, description="Volume of a pod that was moved from a driver inside Kubernetes to a CSI driver."
    )


class VolumeAttachmentSpec(ApiModel):
    """Which volume is to be attached to which node, and by whom."""

    attacher: Annotated[str, Required()] = Field(default="", description="Driver that attaches.")
    source: Annotated[VolumeAttachmentSource, Required()] = Field(
        default_factory=VolumeAttachmentSource, description="What is attached."
    )
    nodeName: Annotated[str, Required()] = Field(default="", description="Node that it is attached to.")


class VolumeError(ApiModel):
    """What went wrong."""

    time: Annotated[Time | None, Always()] = Field(default=None, description="When it did.")
    message: str = Field(default="", description="What it was.")
    errorCode: Int32 | None = Field(default=None, description="Number of the error by gRPC.")


class VolumeAttachmentStatus(ApiModel):
    """How far it has come."""

    attached: Annotated[bool, Required()] = Field(default=False, description="Whether the volume is attached.")
    attachmentMetadata: dict[str, str] = Field(
        default_factory=dict, description="What whoever mounts the volume must know."
    )
    attachError: VolumeError | None = Field(default=None, description="Why it could not be attached.")
    detachError: VolumeError | None = Field(default=None, description="Why it could not be detached.")


class VolumeAttachment(ApiObject):
    """A volume that is to be attached to a node."""

    spec: Annotated[VolumeAttachmentSpec, Required()] = Field(
        default_factory=VolumeAttachmentSpec, description="Which volume, and where."
    )
    status: VolumeAttachmentStatus = Field(default_factory=VolumeAttachmentStatus, description="How far it has come.")
