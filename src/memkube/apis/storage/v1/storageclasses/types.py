"""StorageClasses: sorts of storage."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.podspec.types.topology_selectors import TopologySelectorTerm


class StorageClass(ApiObject):
    """A sort of storage, and how volumes of it are made."""

    provisioner: Annotated[str, Required()] = Field(default="", description="Who makes the volumes.")
    parameters: dict[str, str] = Field(default_factory=dict, description="Settings for whoever makes the volumes.")
    reclaimPolicy: Annotated[str | None, Named("v1.PersistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain"))] = (
        Field(default=None, description="What becomes of volumes when their claims are gone: Delete or Retain.")
    )
    mountOptions: list[str] = Field(default_factory=list, description="Options of mounts, such as ro.")
    allowVolumeExpansion: bool | None = Field(default=None, description="Whether volumes may grow.")
    volumeBindingMode: Annotated[str | None, Named("v1.VolumeBindingMode", ("Immediate", "WaitForFirstConsumer"))] = (
        Field(default=None, description="When volumes are made and bound: Immediate, or WaitForFirstConsumer.")
    )
    allowedTopologies: list[TopologySelectorTerm] = Field(
        default_factory=list, description="Where volumes may be made; anywhere by default."
    )
