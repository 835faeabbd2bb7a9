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
        default_factory=dict, description="Fixed overhead of each pod, by resource."
    )


class Scheduling(ApiModel):
    """Labels and tolerations with which pods reach the nodes that support a RuntimeClass."""

    nodeSelector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict, description="Labels of those nodes, merged into the pods' node selectors."
    )
    tolerations: list[Toleration] = Field(
        default_factory=list, description="Tolerations of those nodes' taints, added to the pods'."
    )


class RuntimeClass(ApiObject):
    """A container runtime that pods can choose."""

    handler: Annotated[str, Required()] = Field(
        default="", description="Name of the runtime handler on the nodes, a DNS label; immutable."
    )
    overhead: Overhead | None = Field(default=None, description="Resource overhead of a pod, besides its containers.")
    scheduling: Scheduling | None = Field(default=None, description="Nodes that support the class; all by default.")
