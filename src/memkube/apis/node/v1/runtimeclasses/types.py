from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.podspec.types.scheduling import Toleration


class Overhead(ApiModel):
    """Resources that a pod uses in addition to those of its containers."""

    podFixed: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict,
        description="Amount of each resource, such as cpu, that running a pod takes in addition to its containers.",
    )


class Scheduling(ApiModel):
    """Labels and tolerations with which pods reach the nodes that support a RuntimeClass."""

    nodeSelector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict,
        description="Labels of the nodes that support the class, merged into the node selectors of its pods.",
    )
    tolerations: list[Toleration] = Field(
        default_factory=list,
        description="Tolerations of taints on the nodes that support the class, added to its pods.",
    )


class RuntimeClass(ApiObject):
    """A container runtime that pods can choose."""

    handler: Annotated[str, Required()] = Field(
        default="", description="Name of the runtime handler on the nodes, a DNS label; immutable."
    )
    overhead: Overhead | None = Field(
        default=None, description="Resources that running a pod of the class takes in addition to its containers."
    )
    scheduling: Scheduling | None = Field(default=None, description="Nodes that support the class; all by default.")
