"""CSIStorageCapacities: how much storage there is in a part of the cluster."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.scalars import Quantity


class CSIStorageCapacity(ApiObject):
    """TODO."""

    nodeTopology: LabelSelector | None = Field(default=None, description="TODO")
    storageClassName: Annotated[str, Required()] = Field(default="", description="TODO")
    capacity: Quantity | None = Field(default=None, description="TODO")
    maximumVolumeSize: Quantity | None = Field(default=None, description="TODO")
