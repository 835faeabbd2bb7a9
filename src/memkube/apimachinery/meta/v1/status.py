"""Status responses and watch events."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ListMeta, TypeMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Raw


class StatusCause(ApiModel):
    """One cause of a failed request, such as an invalid field."""

    reason: Annotated[str, Named("v1.CauseType")] = Field(
        default="", description="Machine-readable type of the cause, such as FieldValueInvalid."
    )
    message: str = Field(default="", description="Human-readable description of the cause.")
    field: str = Field(
        default="", description="Path of the field that caused the error, such as spec.containers[0].image."
    )


class StatusDetails(ApiModel):
    """Details of a Status: the object that a failed request concerns, and the causes of the failure."""

    name: str = Field(default="", description="Name of the object that the request concerns.")
    group: str = Field(default="", description="API group of the object or resource that the request concerns.")
    kind: str = Field(
        default="", description="Kind of the object that the request concerns, or plural name of its resource."
    )
    uid: Annotated[str, Named("types.UID")] = Field(
        default="", description="UID of the object that the request concerns."
    )
    causes: list[StatusCause] = Field(
        default_factory=list, description="Causes of the failure, such as one for each invalid field."
    )
    retryAfterSeconds: Int32 = Field(
        default=0, description="Seconds that the client should wait before it repeats the request; 0 if unspecified."
    )


class Status(TypeMeta):
    """Result of a request that does not return an object: an error, or the success of a deletion."""

    metadata: ListMeta = Field(
        default_factory=ListMeta,
        description="Empty, except in the error for an expired continue token: a new token to continue the list.",
    )
    status: str = Field(default="", description="Result of the request: Success or Failure.")
    message: str = Field(default="", description="Human-readable description of the result.")
    reason: Annotated[str, Named("v1.StatusReason")] = Field(
        default="", description="Machine-readable reason of the failure, such as NotFound."
    )
    details: StatusDetails | None = Field(
        default=None, description="Object that the request concerns, and causes of the failure."
    )
    code: Int32 = Field(default=0, description="HTTP status code of the response.")


class WatchEvent(ApiModel):
    """An event of a watch: its type, such as ADDED, and the object."""

    type: Annotated[str, Required()] = Field(
        default="", description="Type of the event: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR."
    )
    object: Annotated[Raw | None, Named("runtime.RawExtension"), Required()] = Field(
        default=None,
        description="Added, changed or deleted object; for BOOKMARK only its resourceVersion, for ERROR a Status.",
    )
