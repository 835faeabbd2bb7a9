"""What a client may say about a deletion."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class Preconditions(ApiModel):
    """What must hold of an object for it to be deleted."""

    uid: Annotated[str | None, Named("types.UID")] = Field(default=None, description="UID that the object must have.")
    resourceVersion: str | None = Field(default=None, description="Version that the object must be at.")


class DeleteOptions(TypeMeta):
    """How an object is to be deleted."""

    gracePeriodSeconds: Int64 | None = Field(
        default=None,
        description="Seconds until the object is gone; 0 deletes at once, none takes the kind's own period.",
    )
    preconditions: Preconditions | None = Field(
        default=None, description="What must hold of the object, or the request fails with a conflict."
    )
    orphanDependents: bool | None = Field(
        default=None, description="Deprecated for propagationPolicy; whether dependents stay behind."
    )
    propagationPolicy: Annotated[str | None, Named("v1.DeletionPropagation")] = Field(
        default=None, description="What becomes of dependents: Orphan, Background or Foreground."
    )
    dryRun: list[str] = Field(
        default_factory=list, description="All to go through every stage without storing the outcome."
    )
    ignoreStoreReadErrorWithClusterBreakingPotential: bool | None = Field(
        default=None, description="Delete an object even if it cannot be read any more."
    )
