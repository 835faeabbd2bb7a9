"""Resources of containers."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity


class ResourceClaim(ApiModel):
    """A claim that a container uses."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the claim in the pod's spec.")
    request: str = Field(default="", description="Request of the claim; all by default.")


class ResourceRequirements(ApiModel):
    """How much a container asks for and may use."""

    limits: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Most that may be used."
    )
    requests: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Least that is needed; the limits by default."
    )
    claims: Annotated[list[ResourceClaim], MapList(("name",))] = Field(
        default_factory=list, description="Claims that the container uses."
    )
