from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, MapList, Merge, Named, OneOf, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time


class PriorityLevelConfigurationReference(ApiModel):
    """Name of the priority level that serves the requests of a FlowSchema."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the PriorityLevelConfiguration that serves the requests."
    )


class FlowDistinguisherMethod(ApiModel):
    """Whether requests of a FlowSchema are divided into flows by user or by namespace."""

    type: Annotated[str, Named("v1.FlowDistinguisherMethodType"), Required()] = Field(
        default="", description="Criterion that divides requests into flows: ByUser or ByNamespace."
    )


class UserSubject(ApiModel):
    """Name of a user whose requests a FlowSchema matches; ``*`` for all users."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the user whose requests match; * for all users."
    )


class GroupSubject(ApiModel):
    """Name of a group whose members' requests a FlowSchema matches."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the group whose members' requests match; * for all users."
    )


class ServiceAccountSubject(ApiModel):
    """Namespace and name of a service account whose requests a FlowSchema matches."""

    namespace: Annotated[str, Required()] = Field(
        default="", description="Namespace of the service account whose requests match."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the service account; * for all of the namespace."
    )


class Subject(ApiModel):
    """A user, a group or a service account whose requests a FlowSchema matches."""

    union: ClassVar[OneOf] = OneOf(
        "kind",
        (
            "group",
            "serviceAccount",
            "user",
        ),
    )

    kind: Annotated[str, Named("v1.SubjectKind"), Required()] = Field(
        default="", description="User, Group or ServiceAccount; decides which other field is set."
    )
    user: UserSubject | None = Field(default=None, description="User whose requests match; only for kind User.")
    group: GroupSubject | None = Field(
        default=None, description="Group whose members' requests match; only for kind Group."
    )
    serviceAccount: ServiceAccountSubject | None = Field(
        default=None, description="Service account whose requests match; only for kind ServiceAccount."
    )


class ResourcePolicyRule(ApiModel):
    """Resource requests that a FlowSchema matches, by verb, group, resource and namespace."""

    verbs: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="Verbs of matching requests, such as get or list; * for all."
    )
    apiGroups: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="API groups of the requested resources; * for all."
    )
    resources: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="Requested resources, such as pods or pods/status; * for all."
    )
    clusterScope: bool = Field(
        default=False,
        description="True if requests without a namespace match: for cluster-scoped objects or all namespaces.",
    )
    namespaces: Annotated[list[str], SetList(), Always()] = Field(
        default_factory=list, description="Namespaces of matching requests; * for all."
    )


class NonResourcePolicyRule(ApiModel):
    """Rule by which a FlowSchema matches requests to URL paths other than resources, such as ``/healthz``."""

    verbs: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="HTTP methods of matching requests, in lower case; * for all."
    )
    nonResourceURLs: Annotated[list[str], SetList(), Required()] = Field(
        default_factory=list, description="Paths to match; a path ending with /* matches all below it, * matches all."
    )


class PolicyRulesWithSubjects(ApiModel):
    """Requests that a FlowSchema matches: those of one of the subjects, and matched by one of the rules."""

    subjects: Annotated[list[Subject], Required()] = Field(
        default_factory=list,
        description="Users, groups and service accounts; the client must be one of them, or a member of a group.",
    )
    resourceRules: list[ResourcePolicyRule] = Field(
        default_factory=list,
        description="Rules for requests that access resources; a request must match one of the rules.",
    )
    nonResourceRules: list[NonResourcePolicyRule] = Field(
        default_factory=list,
        description="Rules for requests whose paths are not those of resources, such as /healthz; one must match.",
    )


class FlowSchemaSpec(ApiModel):
    """Requests that a FlowSchema matches, and the priority level that serves them."""

    priorityLevelConfiguration: Annotated[PriorityLevelConfigurationReference, Required()] = Field(
        default_factory=PriorityLevelConfigurationReference,
        description="Priority level that serves the requests that the FlowSchema matches.",
    )
    matchingPrecedence: Annotated[Int32, Always(), Default(0)] = Field(
        default=0, description="Order in which schemas are tried, 1 to 10000, lowest first; 1000 by default."
    )
    distinguisherMethod: FlowDistinguisherMethod | None = Field(
        default=None, description="Whether each user or each namespace has a flow of its own; unset for a single flow."
    )
    rules: list[PolicyRulesWithSubjects] = Field(
        default_factory=list,
        description="Rules that say which requests of which clients match; a request must match one rule.",
    )


class FlowSchemaCondition(ApiModel):
    """A condition of a FlowSchema, such as Dangling."""

    type: Annotated[str, Named("v1.FlowSchemaConditionType")] = Field(
        default="", description="Type of the condition, such as Dangling."
    )
    status: Annotated[str, Named("v1.ConditionStatus")] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the last change of status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable reason for the last change of status.")


class FlowSchemaStatus(ApiModel):
    """Observed state of a FlowSchema: its conditions."""

    conditions: Annotated[list[FlowSchemaCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the FlowSchema, such as Dangling."
    )


class FlowSchema(ApiObject):
    """A group of requests that one priority level serves, divided into flows."""

    spec: FlowSchemaSpec = Field(
        default_factory=FlowSchemaSpec, description="Requests to match and the priority level that serves them."
    )
    status: FlowSchemaStatus = Field(
        default_factory=FlowSchemaStatus, description="Conditions of the FlowSchema, written by the server."
    )
