"""CSINodes: which drivers of volumes a node has."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


class VolumeNodeResources(ApiModel):
    """TODO."""

    count: Int32 | None = Field(default=None, description="TODO")


class CSINodeDriver(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    nodeID: Annotated[str, Required()] = Field(default="", description="TODO")
    topologyKeys: Annotated[list[str], Always()] = Field(default_factory=list, description="TODO")
    allocatable: VolumeNodeResources | None = Field(default=None, description="TODO")


class CSINodeSpec(ApiModel):
    """TODO."""

    drivers: Annotated[list[CSINodeDriver], MapList(("name",)), Merge("name"), Required()] = Field(
        default_factory=list, description="TODO"
    )


class CSINode(ApiObject):
    """TODO."""

    spec: Annotated[CSINodeSpec, Required()] = Field(default_factory=CSINodeSpec, description="TODO")
