from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import OlderCondition
from memkube.apimachinery.model import ApiModel


class NamespaceSpec(ApiModel):
    """Finalizers of a namespace, all of which must be removed before the namespace is removed."""

    finalizers: list[Annotated[str, Named("v1.FinalizerName")]] = Field(
        default_factory=list, description="Finalizers that must be removed before the namespace is deleted."
    )


class NamespaceCondition(OlderCondition):
    """A condition of a terminating namespace, such as NamespaceContentRemaining."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.NamespaceConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as NamespaceContentRemaining."
    )


class NamespaceStatus(ApiModel):
    """Phase and conditions of a namespace."""

    phase: Annotated[str, Named("v1.NamespacePhase", ("Active", "Terminating"))] = Field(
        default="", description="Active, or Terminating once it is being deleted."
    )
    conditions: Annotated[list[NamespaceCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions about the deletion of the namespace's content."
    )


class Namespace(ApiObject):
    """A scope for the names of objects."""

    spec: NamespaceSpec = Field(
        default_factory=NamespaceSpec, description="Finalizers that must be removed before the namespace is deleted."
    )
    status: NamespaceStatus = Field(
        default_factory=NamespaceStatus, description="Phase of the namespace, and conditions about its deletion."
    )
