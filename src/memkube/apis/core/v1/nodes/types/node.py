"""Machines that pods run on."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Merge, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Time
from memkube.apis.core.v1.nodes.types.config import NodeConfigSource
from memkube.apis.core.v1.nodes.types.status import NodeStatus


class Taint(ApiModel):
    """What keeps pods away from a node unless they tolerate it."""

    key: Annotated[str, Required()] = Field(default="", description="Name of the taint.")
    value: str = Field(default="", description="Value of the taint.")
    effect: Annotated[str, Named("v1.TaintEffect", ("NoExecute", "NoSchedule", "PreferNoSchedule")), Required()] = (
        Field(default="", description="What happens to pods: NoSchedule, PreferNoSchedule or NoExecute.")
    )
    timeAdded: Time | None = Field(default=None, description="When the taint was added.")


class NodeSpec(ApiModel):
    """What is wanted of a node."""

    podCIDR: str = Field(default="", description="Block of addresses for pods on the node.")
    podCIDRs: Annotated[list[str], SetList(), Merge()] = Field(
        default_factory=list, description="Blocks of addresses for pods, one for each family; the first is podCIDR."
    )
    providerID: str = Field(default="", description="Identity of the machine at its provider.")
    unschedulable: bool = Field(default=False, description="Whether new pods are kept away.")
    taints: list[Taint] = Field(default_factory=list, description="What keeps pods away unless they tolerate it.")
    configSource: NodeConfigSource | None = Field(default=None, description="Deprecated; no longer used.")
    externalID: str = Field(default="", description="Deprecated; not used.")


class Node(ApiObject):
    """A machine that pods run on."""

    spec: NodeSpec = Field(default_factory=NodeSpec, description="What is wanted of the node.")
    status: NodeStatus = Field(default_factory=NodeStatus, description="What is known of the node.")
