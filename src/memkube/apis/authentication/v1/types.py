"""API types of token requests and of reviews of users and tokens."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Time


class UserInfo(ApiModel):
    """Name, UID, groups and extra information of an authenticated user."""

    username: str = Field(default="", description="Name that identifies the user, such as jane.")
    uid: str = Field(default="", description="ID of the user; a later user of the same name has another ID.")
    groups: list[str] = Field(default_factory=list, description="Names of the groups that the user belongs to.")
    extra: dict[str, Annotated[list[str], Named("v1.ExtraValue")]] = Field(
        default_factory=dict, description="Further attributes that the authenticator adds, as lists of values by key."
    )


class SelfSubjectReviewStatus(ApiModel):
    """User that sent a SelfSubjectReview."""

    userInfo: UserInfo = Field(default_factory=UserInfo, description="User as whom the client is authenticated.")


class SelfSubjectReview(ApiObject):
    """Returns the user as which the server authenticated the client."""

    status: SelfSubjectReviewStatus = Field(
        default_factory=SelfSubjectReviewStatus, description="User of the client; set by the server."
    )


class BoundObjectReference(ApiModel):
    """Reference to the Pod, Secret or Node to which a token is bound. The token becomes invalid with that object."""

    kind: str = Field(default="", description="Kind of the object: Pod, Secret or Node.")
    apiVersion: str = Field(default="", description="API version of the object that the token is bound to, such as v1.")
    name: str = Field(default="", description="Name of the object that the token is bound to.")
    uid: Annotated[str, Named("types.UID")] = Field(
        default="",
        description="UID of the object that the token is bound to; if it is empty, the present object is used.",
    )


class TokenRequestSpec(ApiModel):
    """Audiences, lifetime and bound object of a requested token."""

    audiences: Annotated[list[str], Always()] = Field(
        default_factory=list, description="Audiences of the token; the API server by default."
    )
    expirationSeconds: Annotated[Int64 | None, Always()] = Field(
        default=None, description="Desired lifetime in seconds; the server may choose another."
    )
    boundObjectRef: Annotated[BoundObjectReference | None, Always()] = Field(
        default=None, description="Object to bind the token to; the token becomes invalid when this object is deleted."
    )


class TokenRequestStatus(ApiModel):
    """A signed token and its expiration time."""

    token: Annotated[str, Always()] = Field(
        default="", description="Bearer token of the service account, a signed JWT."
    )
    expirationTimestamp: Annotated[Time | None, Always()] = Field(
        default=None, description="Time when the token expires."
    )


class TokenRequest(ApiObject):
    """Requests a token of a service account by a POST to its subresource ``token``."""

    spec: Annotated[TokenRequestSpec, Always()] = Field(
        default_factory=TokenRequestSpec, description="Audiences, lifetime and bound object of the requested token."
    )
    status: TokenRequestStatus = Field(
        default_factory=TokenRequestStatus, description="The token and its expiration time, set by the server."
    )


class TokenReviewSpec(ApiModel):
    """Token to authenticate, and the audiences for which it must be valid."""

    token: Annotated[str, Required(omits_zero=True)] = Field(
        default="", description="Bearer token whose user the server looks up."
    )
    audiences: list[str] = Field(
        default_factory=list,
        description="Audiences of which the token must have at least one; those of the API server by default.",
    )


class TokenReviewStatus(ApiModel):
    """Result of a token review: the user and audiences, or an error."""

    authenticated: bool = Field(
        default=False, description="True if the token is valid for at least one of the audiences."
    )
    user: UserInfo = Field(
        default_factory=UserInfo, description="User that the token identifies; empty if the token is invalid."
    )
    audiences: list[str] = Field(
        default_factory=list, description="Those of the requested audiences for which the token is valid."
    )
    error: str = Field(default="", description="Reason why the server could not authenticate the token.")


class TokenReview(ApiObject):
    """Authenticates a token and returns its user."""

    spec: Annotated[TokenReviewSpec, Required()] = Field(
        default_factory=TokenReviewSpec, description="Token to authenticate, and the audiences that it must have."
    )
    status: TokenReviewStatus = Field(
        default_factory=TokenReviewStatus,
        description="User and audiences of the token, or an error, set by the server.",
    )
