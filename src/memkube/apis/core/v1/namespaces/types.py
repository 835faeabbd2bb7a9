"""Scopes for names."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import OlderCondition
from memkube.apimachinery.model import ApiModel


class NamespaceSpec(ApiModel):
    """What is wanted of a namespace."""

    finalizers: list[Annotated[str, Named("v1.FinalizerName")]] = Field(
        default_factory=list, description="Names of those who must act before the namespace may go."
    )


class NamespaceCondition(OlderCondition):
    """One aspect of a namespace's end."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.NamespaceConditionType"), Required()] = Field(
        default="", description="Name of the aspect."
    )


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
