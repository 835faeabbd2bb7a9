"""Roles and ClusterRoles: what may be done."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel


class PolicyRule(ApiModel):
    """TODO."""

    verbs: Annotated[list[str], Required()] = Field(default_factory=list, description="TODO")
    apiGroups: list[str] = Field(default_factory=list, description="TODO")
    resources: list[str] = Field(default_factory=list, description="TODO")
    resourceNames: list[str] = Field(default_factory=list, description="TODO")
    nonResourceURLs: list[str] = Field(default_factory=list, description="TODO")


class AggregationRule(ApiModel):
    """TODO."""

    clusterRoleSelectors: list[LabelSelector] = Field(default_factory=list, description="TODO")


class ClusterRole(ApiObject):
    """TODO."""

    rules: Annotated[list[PolicyRule], Always()] = Field(default_factory=list, description="TODO")
    aggregationRule: AggregationRule | None = Field(default=None, description="TODO")


class Role(ApiObject):
    """TODO."""

    rules: Annotated[list[PolicyRule], Always()] = Field(default_factory=list, description="TODO")
