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
    storageClassName: Annotated[str, Required()] = Field(default="", description="Name of the StorageClass.")
    capacity: Quantity | None = Field(default=None, description="Available capacity.")
    maximumVolumeSize: Quantity | None = Field(default=None, description="Maximum size of a volume.")
