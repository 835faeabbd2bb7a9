"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class Preconditions(ApiModel):
    """."""

    uid: Annotated[str | None, Named("types.UID")] = Field(default=None, description="")
    resourceVersion: str | None = Field(default=None, description="")


class DeleteOptions(TypeMeta):
    """."""

    gracePeriodSeconds: Int64 | None = Field(default=None, description="")
    preconditions: Preconditions | None = Field(default=None, description="")
    orphanDependents: bool | None = Field(default=None, description="")
    propagationPolicy: Annotated[str | None, Named("v1.DeletionPropagation")] = Field(default=None, description="")
    dryRun: list[str] = Field(default_factory=list, description="")
    ignoreStoreReadErrorWithClusterBreakingPotential: bool | None = Field(default=None, description="")
