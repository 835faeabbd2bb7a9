"""LimitRanges: bounds and defaults for what the objects of a namespace ask for."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity


class LimitRangeItem(ApiModel):
    """Bounds and defaults for one sort of thing."""

    type: Annotated[str, Named("v1.LimitType"), Required()] = Field(
        default="", description="What is bounded: Container, Pod or PersistentVolumeClaim."
    )
    max: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="The most of each resource."
    )
    min: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="The least of each resource."
    )
    default: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Limits of containers that say none."
    )
    defaultRequest: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Requests of containers that say none."
    )
    maxLimitRequestRatio: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="How many times its request a limit may be."
    )


class LimitRangeSpec(ApiModel):
    """What is bounded."""

    limits: Annotated[list[LimitRangeItem], Required()] = Field(
        default_factory=list, description="The bounds, one entry for each sort of thing."
    )


class LimitRange(ApiObject):
    """Bounds what pods and claims of a namespace ask for, and fills in what they do not say."""

    spec: LimitRangeSpec = Field(default_factory=LimitRangeSpec, description="What is bounded.")
