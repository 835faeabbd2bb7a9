from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel


class PolicyRule(ApiModel):
    """Allowed verbs on resources or on non-resource paths."""

    verbs: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Allowed verbs, such as get or create; * for all."
    )
    apiGroups: list[str] = Field(
        default_factory=list, description='API groups of the resources; "" for the core group, * for all.'
    )
    resources: list[str] = Field(
        default_factory=list, description="Resources, and subresources as resource/subresource; * for all."
    )
    resourceNames: list[str] = Field(
        default_factory=list, description="Names of the objects to which the rule is limited; all objects if empty."
    )
    nonResourceURLs: list[str] = Field(
        default_factory=list,
        description="Non-resource paths, such as /healthz; may end with *. Only in ClusterRoles.",
    )


class AggregationRule(ApiModel):
    """Selectors of the ClusterRoles whose rules a controller copies to an aggregated ClusterRole."""

    clusterRoleSelectors: list[LabelSelector] = Field(
        default_factory=list,
        description="Selectors of the ClusterRoles whose rules are copied; a ClusterRole must match one of them.",
    )


class ClusterRole(ApiObject):
    """Permissions in the whole cluster, or in any namespace in which the role is bound."""

    rules: Annotated[list[PolicyRule], Always()] = Field(
        default_factory=list, description="Requests that the role allows: verbs on resources or on URL paths."
    )
    aggregationRule: AggregationRule | None = Field(
        default=None, description="Selectors of the ClusterRoles whose rules a controller copies into this one."
    )


class Role(ApiObject):
    """Permissions in a namespace."""

    rules: Annotated[list[PolicyRule], Always()] = Field(
        default_factory=list, description="Requests that the role allows: verbs on resources of the namespace."
    )
