"""CSIStorageCapacities: how much storage there is in a part of the cluster."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.scalars import Quantity


class CSIStorageCapacity(ApiObject):
    """How much storage of a class there is in a part of the cluster."""

    nodeTopology: LabelSelector | None = Field(
        default=None, description="Nodes that can reach the storage; none without a selector."
    )
    storageClassName: Annotated[str, Required()] = Field(
        default="", description="Class that the storage would be made from."
    )
    capacity: Quantity | None = Field(default=None, description="How much is left.")
    maximumVolumeSize: Quantity | None = Field(default=None, description="Largest volume that can be made.")
