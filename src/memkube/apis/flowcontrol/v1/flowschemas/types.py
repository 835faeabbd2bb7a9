"""FlowSchemas: which requests belong to which priority level."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, MapList, Merge, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time


class PriorityLevelConfigurationReference(ApiModel):
    """The priority level that matching requests are served at."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the priority level.")


class FlowDistinguisherMethod(ApiModel):
    """What tells the flows of one schema from each other."""

    type: Annotated[str, Named("v1.FlowDistinguisherMethodType"), Required()] = Field(
        default="", description="ByUser or ByNamespace: whose requests make one flow."
    )


class UserSubject(ApiModel):
    """A user by name."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the user; * stands for all.")


class GroupSubject(ApiModel):
    """A group of users by name."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the group; * stands for all.")


class ServiceAccountSubject(ApiModel):
    """A service account by namespace and name."""

    namespace: Annotated[str, Required()] = Field(default="", description="Namespace of the service account.")
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the service account; * stands for all of the namespace."
    )


class Subject(ApiModel):
    """Who sends a request: a user, a group or a service account."""

    kind: Annotated[str, Named("v1.SubjectKind"), Required()] = Field(
        default="", description="User, Group or ServiceAccount; says which other field is set."
    )
    user: UserSubject | None = Field(default=None, description="The user, if the kind is User.")
    group: GroupSubject | None = Field(default=None, description="The group, if the kind is Group.")
    serviceAccount: ServiceAccountSubject | None = Field(
        default=None, description="The service account, if the kind is ServiceAccount."
    )


class ResourcePolicyRule(ApiModel):
    """Requests for resources: one matches if it fits each of the fields."""

    verbs: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="Verbs that match; * alone stands for all."
    )
    apiGroups: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="API groups that match; * alone stands for all."
    )
    resources: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="Resources that match, with a subresource if one is meant; * alone for all."
    )
    clusterScope: bool = Field(default=False, description="Whether requests without a namespace match.")
    namespaces: Annotated[list[str], SetList(), Always()] = Field(
        default_factory=list, description="Namespaces whose requests match; * alone stands for all."
    )


class NonResourcePolicyRule(ApiModel):
    """Requests for paths that are no resources."""

    verbs: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="Verbs that match; * alone stands for all."
    )
    nonResourceURLs: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="Paths that match; one that ends with /* stands for all below it, * for all."
    )


class PolicyRulesWithSubjects(ApiModel):
    """Requests of some subjects: one matches if a subject and a rule do."""

    subjects: Annotated[list[Subject], Required()] = Field(
        default_factory=list, description="Who sends the requests; one must match."
    )
    resourceRules: list[ResourcePolicyRule] = Field(default_factory=list, description="Requests for resources.")
    nonResourceRules: list[NonResourcePolicyRule] = Field(default_factory=list, description="Requests for other paths.")


class FlowSchemaSpec(ApiModel):
    """Which requests the schema is about, and how they are served."""

    priorityLevelConfiguration: Annotated[PriorityLevelConfigurationReference, Required()] = Field(
        default_factory=PriorityLevelConfigurationReference, description="Priority level that serves the requests."
    )
    matchingPrecedence: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="Order in which schemas are tried, from 1 to 10000, lowest first; 1000 if not given."
    )
    distinguisherMethod: FlowDistinguisherMethod | None = Field(
        default=None, description="What divides the requests into flows; without it they are one flow."
    )
    rules: list[PolicyRulesWithSubjects] = Field(
        default_factory=list, description="Requests that the schema is about; one rule must match."
    )


class FlowSchemaCondition(ApiModel):
    """Something observed of a FlowSchema."""

    type: Annotated[str, Named("v1.FlowSchemaConditionType")] = Field(
        default="", description="Name of the condition, such as Dangling."
    )
    status: Annotated[str, Named("v1.ConditionStatus")] = Field(default="", description="True, False or Unknown.")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why the status changed, in one CamelCase word.")
    message: str = Field(default="", description="The same for people.")


class FlowSchemaStatus(ApiModel):
    """What has been observed of a FlowSchema."""

    conditions: Annotated[list[FlowSchemaCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the schema by type."
    )


class FlowSchema(ApiObject):
    """A group of requests that are served at one priority level, divided into flows."""

    spec: FlowSchemaSpec = Field(
        default_factory=FlowSchemaSpec, description="Which requests the schema is about, and how they are served."
    )
    status: FlowSchemaStatus = Field(
        default_factory=FlowSchemaStatus, description="What has been observed of the schema."
    )
