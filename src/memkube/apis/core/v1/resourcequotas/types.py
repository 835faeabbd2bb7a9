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
    """A requirement on one scope of a quota: operator and values."""

    scopeName: Annotated[str, _SCOPE, Required()] = Field(
        default="", description="Scope that the requirement is about, such as PriorityClass."
    )
    operator: Annotated[
        str, Named("v1.ScopeSelectorOperator", ("DoesNotExist", "Exists", "In", "NotIn")), Required()
    ] = Field(default="", description="Comparison of the scope with the values: In, NotIn, Exists or DoesNotExist.")
    values: list[str] = Field(
        default_factory=list, description="Values for In and NotIn, such as names of PriorityClasses."
    )


class ScopeSelector(ApiModel):
    """Requirements on scopes that select the objects which a quota counts."""

    struct_type: ClassVar[str] = "atomic"

    matchExpressions: list[ScopedResourceSelectorRequirement] = Field(
        default_factory=list,
        description="Requirements on scopes; an object counts towards the quota only if it meets all of them.",
    )


class ResourceQuotaSpec(ApiModel):
    """Hard limits by resource name, and the scopes of objects to which they apply."""

    hard: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict,
        description="Limit on the total of each resource in the namespace, such as pods or requests.cpu.",
    )
    scopes: list[Annotated[str, _SCOPE]] = Field(
        default_factory=list,
        description="Scopes, such as NotTerminating; an object counts towards the quota only if it matches all.",
    )
    scopeSelector: ScopeSelector | None = Field(
        default=None,
        description="Further scopes with operators and values; an object counts only if it meets all of these too.",
    )


class ResourceQuotaStatus(ApiModel):
    """Observed state of a ResourceQuota: the enforced limits and the current use of each resource."""

    hard: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Limits by resource that the server enforces now."
    )
    used: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Current total use of each resource in the namespace."
    )


class ResourceQuota(ApiObject):
    """Limits the number of objects in a namespace and their total resource use."""

    spec: ResourceQuotaSpec = Field(
        default_factory=ResourceQuotaSpec, description="Hard limits by resource, and the scopes of objects that count."
    )
    status: ResourceQuotaStatus = Field(
        default_factory=ResourceQuotaStatus, description="Enforced limits and the current use of each resource."
    )
