"""VolumeAttachments: which volume is to be attached to which node."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolumeSpec


class VolumeAttachmentSource(ApiModel):
    """TODO."""

    persistentVolumeName: str | None = Field(default=None, description="TODO")
    inlineVolumeSpec: PersistentVolumeSpec | None = Field(default=None, description="TODO")


class VolumeAttachmentSpec(ApiModel):
    """TODO."""

    attacher: Annotated[str, Required()] = Field(default="", description="TODO")
    source: Annotated[VolumeAttachmentSource, Required()] = Field(
        default_factory=VolumeAttachmentSource, description="TODO"
    )
    nodeName: Annotated[str, Required()] = Field(default="", description="TODO")


class VolumeError(ApiModel):
    """TODO."""

    time: Annotated[Time | None, Always()] = Field(default=None, description="TODO")
    message: str = Field(default="", description="TODO")
    errorCode: Int32 | None = Field(default=None, description="TODO")


class VolumeAttachmentStatus(ApiModel):
    """TODO."""

    attached: Annotated[bool, Required()] = Field(default_factory=False, description="TODO")
    attachmentMetadata: dict[str, str] = Field(default_factory=dict, description="TODO")
    attachError: VolumeError | None = Field(default=None, description="TODO")
    detachError: VolumeError | None = Field(default=None, description="TODO")


class VolumeAttachment(ApiObject):
    """TODO."""

    spec: Annotated[VolumeAttachmentSpec, Required()] = Field(default_factory=VolumeAttachmentSpec, description="TODO")
    status: VolumeAttachmentStatus = Field(default_factory=VolumeAttachmentStatus, description="TODO")
