"""Who a client is, and questions of its own about that."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class UserInfo(ApiModel):
    """What the server takes a client for."""

    username: str = Field(default="", description="Name of the user.")
    uid: str = Field(default="", description="UID of the user.")
    groups: list[str] = Field(default_factory=list, description="Groups that the user is in.")
    extra: dict[str, Annotated[list[str], Named("v1.ExtraValue")]] = Field(
        default_factory=dict, description="What else the authenticator says of the user."
    )


class SelfSubjectReviewStatus(ApiModel):
    """Who the client is."""

    userInfo: UserInfo = Field(default_factory=UserInfo, description="What the server takes the client for.")


class SelfSubjectReview(ApiObject):
    """Who the client itself is."""

    status: SelfSubjectReviewStatus = Field(
        default_factory=SelfSubjectReviewStatus, description="Who the client is; written by the server."
    )
