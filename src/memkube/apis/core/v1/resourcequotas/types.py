"""ResourceQuotas: how much a namespace may hold."""

from typing import Annotated, ClassVar, Final

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity

_SCOPE: Final = Named(
    "v1.ResourceQuotaScope",
    (
        "BestEffort",
        "CrossNamespacePodAffinity",
        "NotBestEffort",
        "NotTerminating",
        "PriorityClass",
        "Terminating",
        "VolumeAttributesClass",
    ),
)


class ScopedResourceSelectorRequirement(ApiModel):
    """A scope, and which of its values count."""

    scopeName: Annotated[str, _SCOPE, Required()] = Field(default="", description="The scope.")
    operator: Annotated[
        str, Named("v1.ScopeSelectorOperator", ("DoesNotExist", "Exists", "In", "NotIn")), Required()
    ] = Field(default="", description="In, NotIn, Exists or DoesNotExist.")
    values: list[str] = Field(
        default_factory=list, description="Values for In and NotIn, such as names of priority classes."
    )


class ScopeSelector(ApiModel):
    """Selects objects by scopes and their values."""

    struct_type: ClassVar[str] = "atomic"

    matchExpressions: list[ScopedResourceSelectorRequirement] = Field(
        default_factory=list, description="Scopes, all of which an object must be in."
    )


class ResourceQuotaSpec(ApiModel):
    """What is wanted."""

    hard: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="How much of each resource there may be."
    )
    scopes: list[Annotated[str, _SCOPE]] = Field(
        default_factory=list, description="Scopes, all of which an object must be in to count."
    )
    scopeSelector: ScopeSelector | None = Field(
        default=None, description="Further scopes that an object must be in to count."
    )


class ResourceQuotaStatus(ApiModel):
    """What there is."""

    hard: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="The limits that are enforced."
    )
    used: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="How much of each resource there is."
    )


class ResourceQuota(ApiObject):
    """Limits how much the objects of a namespace use together, and how many there are."""

    spec: ResourceQuotaSpec = Field(default_factory=ResourceQuotaSpec, description="What is wanted.")
    status: ResourceQuotaStatus = Field(default_factory=ResourceQuotaStatus, description="What there is.")
