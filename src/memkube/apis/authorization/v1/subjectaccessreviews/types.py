"""Questions whether somebody may do something."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.authorization.v1.types import SubjectAccessReviewSpec, SubjectAccessReviewStatus


class SubjectAccessReview(ApiObject):
    """Whether a user or a group may do something."""

    spec: Annotated[SubjectAccessReviewSpec, Required()] = Field(
        default_factory=SubjectAccessReviewSpec, description="Who wants to do what."
    )
    status: SubjectAccessReviewStatus = Field(
        default_factory=SubjectAccessReviewStatus, description="Whether it may be done; written by the server."
    )
