from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.podspec.types.topology_selectors import TopologySelectorTerm


class StorageClass(ApiObject):
    """A class of storage, with the settings for provisioning volumes."""

    provisioner: Annotated[str, Required()] = Field(
        default="", description="Name of the CSI driver or other provisioner that creates the volumes."
    )
    parameters: dict[str, str] = Field(
        default_factory=dict,
        description="Settings of new volumes that the provisioner interprets, such as a disk type.",
    )
    reclaimPolicy: Annotated[str | None, Named("v1.PersistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain"))] = (
        Field(default=None, description="Action on a volume when its claim is deleted: Delete or Retain.")
    )
    mountOptions: list[str] = Field(
        default_factory=list, description="Options with which volumes of the class are mounted, such as ro."
    )
    allowVolumeExpansion: bool | None = Field(
        default=None, description="True if claims of the class may ask for larger volumes later."
    )
    volumeBindingMode: Annotated[str | None, Named("v1.VolumeBindingMode", ("Immediate", "WaitForFirstConsumer"))] = (
        Field(
            default=None,
            description="Time of provisioning and binding: Immediate, or WaitForFirstConsumer to wait for a pod.",
        )
    )
    allowedTopologies: list[TopologySelectorTerm] = Field(
        default_factory=list, description="Topologies in which volumes may be provisioned; all by default."
    )
