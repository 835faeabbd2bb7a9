"""Answers that are not objects, and what a watch reports."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ListMeta, TypeMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Raw


class StatusCause(ApiModel):
    """One reason among those that made a request fail."""

    reason: Annotated[str, Named("v1.CauseType")] = Field(default="", description="Kind of the cause, for programs.")
    message: str = Field(default="", description="What is wrong, for people.")
    field: str = Field(default="", description="Path of the field that is concerned.")


class StatusDetails(ApiModel):
    """What a status is about."""

    name: str = Field(default="", description="Name of the object.")
    group: str = Field(default="", description="Group of the resource.")
    kind: str = Field(default="", description="Kind of the object or plural of the resource.")
    uid: Annotated[str, Named("types.UID")] = Field(default="", description="UID of the object.")
    causes: list[StatusCause] = Field(default_factory=list, description="Everything that is wrong, one by one.")
    retryAfterSeconds: Int32 = Field(default=0, description="Seconds to wait before another attempt.")


class Status(TypeMeta):
    """How a request ended."""

    metadata: ListMeta = Field(default_factory=ListMeta, description="Empty but for lists.")
    status: str = Field(default="", description="Success or Failure.")
    message: str = Field(default="", description="What happened, for people.")
    reason: Annotated[str, Named("v1.StatusReason")] = Field(
        default="", description="Why the request failed, for programs."
    )
    details: StatusDetails | None = Field(default=None, description="What the status is about.")
    code: Int32 = Field(default=0, description="HTTP status code.")


class WatchEvent(ApiModel):
    """A change that a watch reports."""

    type: Annotated[str, Required()] = Field(default="", description="ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.")
    object: Annotated[Raw | None, Named("runtime.RawExtension"), Required()] = Field(
        default=None, description="Object after the change, or a Status for ERROR."
    )
