"""Questions who the client itself is."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apis.authentication.v1.types import UserInfo


class SelfSubjectReviewStatus(ApiModel):
    """Who the client is."""

    userInfo: UserInfo = Field(default_factory=UserInfo, description="What the server takes the client for.")


class SelfSubjectReview(ApiObject):
    """Who the client itself is."""

    status: SelfSubjectReviewStatus = Field(
        default_factory=SelfSubjectReviewStatus, description="Who the client is; written by the server."
    )
