"""ResourceQuotas: how much a namespace may hold."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity


class ScopedResourceSelectorRequirement(ApiModel):
    """TODO."""

    scopeName: Annotated[
        str,
        Named(
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
        ),
        Required(),
    ] = Field(default="", description="TODO")
    operator: Annotated[
        str, Named("v1.ScopeSelectorOperator", ("DoesNotExist", "Exists", "In", "NotIn")), Required()
    ] = Field(default="", description="TODO")
    values: list[str] = Field(default_factory=list, description="TODO")


class ScopeSelector(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    matchExpressions: list[ScopedResourceSelectorRequirement] = Field(default_factory=list, description="TODO")


class ResourceQuotaSpec(ApiModel):
    """TODO."""

    hard: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="TODO")
    scopes: list[
        Annotated[
            str,
            Named(
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
            ),
        ]
    ] = Field(default_factory=list, description="TODO")
    scopeSelector: ScopeSelector | None = Field(default=None, description="TODO")


class ResourceQuotaStatus(ApiModel):
    """TODO."""

    hard: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="TODO")
    used: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="TODO")


class ResourceQuota(ApiObject):
    """TODO."""

    spec: ResourceQuotaSpec = Field(default_factory=ResourceQuotaSpec, description="TODO")
    status: ResourceQuotaStatus = Field(default_factory=ResourceQuotaStatus, description="TODO")
