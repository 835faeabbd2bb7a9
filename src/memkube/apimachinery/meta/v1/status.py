"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.meta.v1.list_meta import ListMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


class StatusCause(ApiModel):
    """."""

    reason: Annotated[str, Named("v1.CauseType")] = Field(default="", description="")
    message: str = Field(default="", description="")
    field: str = Field(default="", description="")


class StatusDetails(ApiModel):
    """."""

    name: str = Field(default="", description="")
    group: str = Field(default="", description="")
    kind: str = Field(default="", description="")
    uid: Annotated[str, Named("types.UID")] = Field(default="", description="")
    causes: list[StatusCause] = Field(default_factory=list, description="")
    retryAfterSeconds: Int32 = Field(default=0, description="")


class Status(TypeMeta):
    """."""

    metadata: ListMeta = Field(default_factory=ListMeta, description="")
    status: str = Field(default="", description="")
    message: str = Field(default="", description="")
    reason: Annotated[str, Named("v1.StatusReason")] = Field(default="", description="")
    details: StatusDetails | None = Field(default=None, description="")
    code: Int32 = Field(default=0, description="")
