from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.podspec.types.topology_selectors import TopologySelectorTerm


class StorageClass(ApiObject):
    """A class of storage, with the settings for provisioning volumes."""

    provisioner: Annotated[str, Required()] = Field(default="", description="Provisioner of the volumes.")
    parameters: dict[str, str] = Field(default_factory=dict, description="Parameters for the provisioner.")
    reclaimPolicy: Annotated[str | None, Named("v1.PersistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain"))] = (
        Field(default=None, description="Action on a volume when its claim is deleted: Delete or Retain.")
    )
    mountOptions: list[str] = Field(default_factory=list, description="Mount options, such as ro.")
    allowVolumeExpansion: bool | None = Field(default=None, description="True if volumes may be expanded.")
    volumeBindingMode: Annotated[str | None, Named("v1.VolumeBindingMode", ("Immediate", "WaitForFirstConsumer"))] = (
        Field(
            default=None,
            description="Time of provisioning and binding: Immediate, or WaitForFirstConsumer to wait for a pod.",
        )
    )
    allowedTopologies: list[TopologySelectorTerm] = Field(
        default_factory=list, description="Topologies in which volumes may be provisioned; all by default."
    )
