"""Questions whether the client itself may do something."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apis.authorization.v1.types import (
    NonResourceAttributes,
    ResourceAttributes,
    SubjectAccessReviewStatus,
)


class SelfSubjectAccessReviewSpec(ApiModel):
    """What the client wants to do. Exactly one of the two is given."""

    resourceAttributes: ResourceAttributes | None = Field(default=None, description="A request for a resource.")
    nonResourceAttributes: NonResourceAttributes | None = Field(
        default=None, description="A request for something that is no resource."
    )


class SelfSubjectAccessReview(ApiObject):
    """Whether the client itself may do something."""

    spec: Annotated[SelfSubjectAccessReviewSpec, Required()] = Field(
        default_factory=SelfSubjectAccessReviewSpec, description="What the client wants to do."
    )
    status: SubjectAccessReviewStatus = Field(
        default_factory=SubjectAccessReviewStatus, description="Whether it may; written by the server."
    )
