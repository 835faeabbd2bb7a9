"""CSINodes: which drivers of volumes a node has."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


class VolumeNodeResources(ApiModel):
    """How many volumes a node may have."""

    count: Int32 | None = Field(
        default=None, description="Most volumes of the driver on the node; unlimited by default."
    )


class CSINodeDriver(ApiModel):
    """A driver on a node."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the driver.")
    nodeID: Annotated[str, Required()] = Field(default="", description="Name by which the driver knows the node.")
    topologyKeys: Annotated[list[str], Always()] = Field(
        default_factory=list, description="Labels of the node that tell where its storage can be reached."
    )
    allocatable: VolumeNodeResources | None = Field(
        default=None, description="How many volumes of the driver the node may have."
    )


class CSINodeSpec(ApiModel):
    """The drivers on a node."""

    drivers: Annotated[list[CSINodeDriver], MapList(("name",)), Merge("name"), Required()] = Field(
        default_factory=list, description="Drivers, each once."
    )


class CSINode(ApiObject):
    """What drivers of volumes are on a node, under the node's name."""

    spec: Annotated[CSINodeSpec, Required()] = Field(
        default_factory=CSINodeSpec, description="The drivers on the node."
    )
