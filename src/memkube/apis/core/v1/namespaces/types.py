"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Time


class NamespaceSpec(ApiModel):
    """."""

    finalizers: list[Annotated[str, Named("v1.FinalizerName")]] = Field(default_factory=list, description="")


class NamespaceCondition(ApiModel):
    """."""

    type: Annotated[str, Named("v1.NamespaceConditionType"), Required()] = Field(default="", description="")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(default="", description="")
    lastTransitionTime: Time | None = Field(default=None, description="")
    reason: str = Field(default="", description="")
    message: str = Field(default="", description="")


class NamespaceStatus(ApiModel):
    """."""

    phase: Annotated[str, Named("v1.NamespacePhase", ("Active", "Terminating"))] = Field(default="", description="")
    conditions: Annotated[list[NamespaceCondition], MapList(("type",)), Merge("type")] = Field(default_factory=list, description="")


class Namespace(ApiObject):
    """."""

    spec: NamespaceSpec = Field(default_factory=NamespaceSpec, description="")
    status: NamespaceStatus = Field(default_factory=NamespaceStatus, description="")
