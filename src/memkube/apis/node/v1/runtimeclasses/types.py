"""RuntimeClasses: what containers are run by."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.podspec.types.scheduling import Toleration


class Overhead(ApiModel):
    """What a pod takes besides its containers."""

    podFixed: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Amounts of resources that each pod takes."
    )


class Scheduling(ApiModel):
    """Which nodes have the runtime."""

    nodeSelector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict, description="Labels of those nodes, added to what each pod selects."
    )
    tolerations: list[Toleration] = Field(
        default_factory=list, description="Taints of those nodes, added to what each pod tolerates."
    )


class RuntimeClass(ApiObject):
    """A way to run containers, as nodes are set up for it."""

    handler: Annotated[str, Required()] = Field(
        default="", description="Name of the setup on the nodes; a label of a domain name. It cannot be changed."
    )
    overhead: Overhead | None = Field(default=None, description="What a pod takes besides its containers.")
    scheduling: Scheduling | None = Field(
        default=None, description="Which nodes have the runtime; all of them if it is not told."
    )
