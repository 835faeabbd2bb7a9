"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity


class ResourceClaim(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    request: str = Field(default="", description="")


class ResourceRequirements(ApiModel):
    """."""

    limits: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="")
    requests: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="")
    claims: Annotated[list[ResourceClaim], MapList(("name",))] = Field(default_factory=list, description="")
