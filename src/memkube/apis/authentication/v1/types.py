"""Who a client is, questions about that, and tokens that prove it."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Time


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


class BoundObjectReference(ApiModel):
    """The object that a token lives and dies with."""

    kind: str = Field(default="", description="Kind of the object: Pod, Secret or Node.")
    apiVersion: str = Field(default="", description="Group and version of the object.")
    name: str = Field(default="", description="Name of the object.")
    uid: Annotated[str, Named("types.UID")] = Field(
        default="", description="UID that the object has to have; any is right if it is not set."
    )


class TokenRequestSpec(ApiModel):
    """What a token is to be good for."""

    audiences: Annotated[list[str], Always()] = Field(
        default_factory=list, description="Who is to accept the token; the API server itself if there are none."
    )
    expirationSeconds: Annotated[Int64 | None, Always()] = Field(
        default=None, description="How long the token is to be valid; the server may decide otherwise."
    )
    boundObjectRef: Annotated[BoundObjectReference | None, Always()] = Field(
        default=None, description="Object with which the token ceases to be valid."
    )


class TokenRequestStatus(ApiModel):
    """The token."""

    token: Annotated[str, Always()] = Field(default="", description="The token, signed.")
    expirationTimestamp: Annotated[Time | None, Always()] = Field(
        default=None, description="When the token ceases to be valid."
    )


class TokenRequest(ApiObject):
    """Asks for a token of a service account."""

    spec: Annotated[TokenRequestSpec, Always()] = Field(
        default_factory=TokenRequestSpec, description="What the token is to be good for."
    )
    status: TokenRequestStatus = Field(
        default_factory=TokenRequestStatus, description="The token; written by the server."
    )


class TokenReviewSpec(ApiModel):
    """A token, and for whom it is meant."""

    token: Annotated[str, Required(omits_zero=True)] = Field(default="", description="The token, without Bearer.")
    audiences: list[str] = Field(
        default_factory=list,
        description="Whoever was given the token goes by these names; the API server's if there are none.",
    )


class TokenReviewStatus(ApiModel):
    """Whose token it is."""

    authenticated: bool = Field(default=False, description="Whether the token is somebody's.")
    user: UserInfo = Field(default_factory=UserInfo, description="Whose it is.")
    audiences: list[str] = Field(
        default_factory=list, description="Those of the audiences asked for that the token is good for."
    )
    error: str = Field(default="", description="Why the token is nobody's.")


class TokenReview(ApiObject):
    """Asks whose a token is."""

    spec: Annotated[TokenReviewSpec, Required()] = Field(default_factory=TokenReviewSpec, description="The token.")
    status: TokenReviewStatus = Field(
        default_factory=TokenReviewStatus, description="Whose it is; written by the server."
    )
