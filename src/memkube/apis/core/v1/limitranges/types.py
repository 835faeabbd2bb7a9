"""LimitRanges: bounds and defaults for what the objects of a namespace ask for."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity


class LimitRangeItem(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.LimitType"), Required()] = Field(default="", description="TODO")
    max: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="TODO")
    min: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="TODO")
    default: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="TODO")
    defaultRequest: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="TODO"
    )
    maxLimitRequestRatio: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="TODO"
    )


class LimitRangeSpec(ApiModel):
    """TODO."""

    limits: Annotated[list[LimitRangeItem], Required()] = Field(default_factory=list, description="TODO")


class LimitRange(ApiObject):
    """TODO."""

    spec: LimitRangeSpec = Field(default_factory=LimitRangeSpec, description="TODO")
