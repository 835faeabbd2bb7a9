from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


class VolumeNodeResources(ApiModel):
    """Maximum number of volumes of a driver that can be attached to a node."""

    count: Int32 | None = Field(
        default=None, description="Maximum number of the driver's volumes on the node; unlimited by default."
    )


class CSINodeDriver(ApiModel):
    """A CSI driver on a node: its name, its ID for the node, its topology keys and its volume limit."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the CSI driver, as in its CSIDriver object."
    )
    nodeID: Annotated[str, Required()] = Field(default="", description="ID by which the driver knows the node.")
    topologyKeys: Annotated[list[str], Always()] = Field(
        default_factory=list,
        description="Keys of the node labels that say where the node is in the driver's topology, such as a zone.",
    )
    allocatable: VolumeNodeResources | None = Field(
        default=None, description="Maximum number of the driver's volumes on the node; unlimited if unset."
    )


class CSINodeSpec(ApiModel):
    """CSI drivers that are installed on a node."""

    drivers: Annotated[list[CSINodeDriver], MapList(("name",)), Merge("name"), Required()] = Field(
        default_factory=list, description="CSI drivers that are installed on the node, unique by name."
    )


class CSINode(ApiObject):
    """CSI drivers that are installed on the node of the same name."""

    spec: Annotated[CSINodeSpec, Required()] = Field(
        default_factory=CSINodeSpec, description="CSI drivers that are installed on the node."
    )
