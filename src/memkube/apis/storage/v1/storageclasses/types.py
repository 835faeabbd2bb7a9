"""StorageClasses: sorts of storage."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.podspec.types.topology_selectors import TopologySelectorTerm


class StorageClass(ApiObject):
    """TODO."""

    provisioner: Annotated[str, Required()] = Field(default="", description="TODO")
    parameters: dict[str, str] = Field(default_factory=dict, description="TODO")
    reclaimPolicy: Annotated[str | None, Named("v1.PersistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain"))] = (
        Field(default=None, description="TODO")
    )
    mountOptions: list[str] = Field(default_factory=list, description="TODO")
    allowVolumeExpansion: bool | None = Field(default=None, description="TODO")
    volumeBindingMode: Annotated[str | None, Named("v1.VolumeBindingMode", ("Immediate", "WaitForFirstConsumer"))] = (
        Field(default=None, description="TODO")
    )
    allowedTopologies: list[TopologySelectorTerm] = Field(default_factory=list, description="TODO")
