from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity


class LimitRangeItem(ApiModel):
    """Minimum, maximum and default amounts of resources for containers, pods or claims."""

    type: Annotated[str, Named("v1.LimitType"), Required()] = Field(
        default="", description="Type of object: Container, Pod or PersistentVolumeClaim."
    )
    max: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Maximum amount of each resource that one object may ask for."
    )
    min: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Minimum amount of each resource that one object must ask for."
    )
    default: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Limits for containers that do not set their own, by resource."
    )
    defaultRequest: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Requests for containers that do not set their own, by resource."
    )
    maxLimitRequestRatio: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Maximum ratio of limit to request of each resource."
    )


class LimitRangeSpec(ApiModel):
    """List of the limits for containers, pods and claims."""

    limits: Annotated[list[LimitRangeItem], Required()] = Field(
        default_factory=list, description="Limits, one item for each type of object."
    )


class LimitRange(ApiObject):
    """Limits and defaults for the resource requests of pods and claims in a namespace."""

    spec: LimitRangeSpec = Field(
        default_factory=LimitRangeSpec,
        description="Limits and defaults for the containers, pods and claims of the namespace.",
    )
