"""Scopes for names."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Time


class NamespaceSpec(ApiModel):
    """What is wanted of a namespace."""

    finalizers: list[Annotated[str, Named("v1.FinalizerName")]] = Field(
        default_factory=list, description="Names of those who must act before the namespace may go."
    )


class NamespaceCondition(ApiModel):
    """One aspect of a namespace's end."""

    type: Annotated[str, Named("v1.NamespaceConditionType"), Required()] = Field(
        default="", description="Name of the aspect."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why, in one CamelCase word.")
    message: str = Field(default="", description="Why, for people.")


class NamespaceStatus(ApiModel):
    """What has become of a namespace."""

    phase: Annotated[str, Named("v1.NamespacePhase", ("Active", "Terminating"))] = Field(
        default="", description="Active, or Terminating once it is being deleted."
    )
    conditions: Annotated[list[NamespaceCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="How far the deletion of its content has come."
    )


class Namespace(ApiObject):
    """A scope for the names of objects."""

    spec: NamespaceSpec = Field(default_factory=NamespaceSpec, description="What is wanted of the namespace.")
    status: NamespaceStatus = Field(default_factory=NamespaceStatus, description="What has become of the namespace.")
