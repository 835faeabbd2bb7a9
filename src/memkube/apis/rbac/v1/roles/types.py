"""Roles and ClusterRoles: what may be done."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel


class PolicyRule(ApiModel):
    """What may be done with what: with resources, or with addresses that are none."""

    verbs: Annotated[list[str], Required()] = Field(
        default_factory=list, description="What may be done, such as get or create; * is everything."
    )
    apiGroups: list[str] = Field(
        default_factory=list, description='Groups of the resources; "" is the core group, * are all.'
    )
    resources: list[str] = Field(default_factory=list, description="Resources, subresources behind a slash; * are all.")
    resourceNames: list[str] = Field(
        default_factory=list, description="Names of the objects that the rule is about; none means all."
    )
    nonResourceURLs: list[str] = Field(
        default_factory=list,
        description="Paths that are no resources, such as /healthz; a * may end them. Only in ClusterRoles.",
    )


class AggregationRule(ApiModel):
    """Where the rules of a ClusterRole come from, if a controller gathers them."""

    clusterRoleSelectors: list[LabelSelector] = Field(
        default_factory=list, description="ClusterRoles whose rules are gathered: those that one of these selects."
    )


class ClusterRole(ApiObject):
    """What may be done in the whole cluster, or in any namespace that it is bound in."""

    rules: Annotated[list[PolicyRule], Always()] = Field(default_factory=list, description="What may be done.")
    aggregationRule: AggregationRule | None = Field(
        default=None, description="Where the rules come from, if they are not written here."
    )


class Role(ApiObject):
    """What may be done in a namespace."""

    rules: Annotated[list[PolicyRule], Always()] = Field(default_factory=list, description="What may be done.")
