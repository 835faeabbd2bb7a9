from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.scalars import Quantity


class CSIStorageCapacity(ApiObject):
    """Available capacity of a StorageClass in one part of the cluster."""

    nodeTopology: LabelSelector | None = Field(
        default=None, description="Nodes that can access the storage; none if unset."
    )
    storageClassName: Annotated[str, Required()] = Field(
        default="", description="Name of the StorageClass whose available storage is reported."
    )
    capacity: Quantity | None = Field(
        default=None, description="Amount of free storage that the CSI driver reports; unknown if unset."
    )
    maximumVolumeSize: Quantity | None = Field(
        default=None, description="Size of the largest volume that can be created now; unknown if unset."
    )
