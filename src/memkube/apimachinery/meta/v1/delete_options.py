"""The body of delete requests: preconditions, grace period and propagation policy."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class Preconditions(ApiModel):
    """Conditions that an object must meet to be deleted."""

    uid: Annotated[str | None, Named("types.UID")] = Field(
        default=None, description="If set, the object is deleted only if it has this UID."
    )
    resourceVersion: str | None = Field(
        default=None, description="If set, the object is deleted only if it has this resourceVersion."
    )


class DeleteOptions(TypeMeta):
    """Options of a delete request, such as preconditions, grace period and propagation policy."""

    gracePeriodSeconds: Int64 | None = Field(
        default=None,
        description="Seconds until the object is removed; 0 removes it immediately, unset uses the kind's default.",
    )
    preconditions: Preconditions | None = Field(
        default=None, description="Conditions that the object must meet; otherwise the request fails with a conflict."
    )
    orphanDependents: bool | None = Field(
        default=None, description="Deprecated, use propagationPolicy; true to keep dependents."
    )
    propagationPolicy: Annotated[str | None, Named("v1.DeletionPropagation")] = Field(
        default=None,
        description="For dependents: Orphan keeps them, Background deletes them after the owner, Foreground before.",
    )
    dryRun: list[str] = Field(
        default_factory=list,
        description="If the list contains All, the request is processed but its result is not stored.",
    )
    ignoreStoreReadErrorWithClusterBreakingPotential: bool | None = Field(
        default=None, description="True to delete an object even if it cannot be read from the storage."
    )
