"""FlowSchemas: which requests belong to which priority level."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, MapList, Merge, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Time


class PriorityLevelConfigurationReference(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")


class FlowDistinguisherMethod(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.FlowDistinguisherMethodType"), Required()] = Field(default="", description="TODO")


class UserSubject(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")


class GroupSubject(ApiModel):
    """TODO."""

    name: Annotated[str, Required()] = Field(default="", description="TODO")


class ServiceAccountSubject(ApiModel):
    """TODO."""

    namespace: Annotated[str, Required()] = Field(default="", description="TODO")
    name: Annotated[str, Required()] = Field(default="", description="TODO")


class Subject(ApiModel):
    """TODO."""

    kind: Annotated[str, Named("v1.SubjectKind"), Required()] = Field(default="", description="TODO")
    user: UserSubject | None = Field(default=None, description="TODO")
    group: GroupSubject | None = Field(default=None, description="TODO")
    serviceAccount: ServiceAccountSubject | None = Field(default=None, description="TODO")


class ResourcePolicyRule(ApiModel):
    """TODO."""

    verbs: Annotated[list[str], SetList(), Required()] = Field(default_factory=list, description="TODO")
    apiGroups: Annotated[list[str], SetList(), Required()] = Field(default_factory=list, description="TODO")
    resources: Annotated[list[str], SetList(), Required()] = Field(default_factory=list, description="TODO")
    clusterScope: bool = Field(default_factory=False, description="TODO")
    namespaces: Annotated[list[str], SetList(), Always()] = Field(default_factory=list, description="TODO")


class NonResourcePolicyRule(ApiModel):
    """TODO."""

    verbs: Annotated[list[str], SetList(), Required()] = Field(default_factory=list, description="TODO")
    nonResourceURLs: Annotated[list[str], SetList(), Required()] = Field(default_factory=list, description="TODO")


class PolicyRulesWithSubjects(ApiModel):
    """TODO."""

    subjects: Annotated[list[Subject], Required()] = Field(default_factory=list, description="TODO")
    resourceRules: list[ResourcePolicyRule] = Field(default_factory=list, description="TODO")
    nonResourceRules: list[NonResourcePolicyRule] = Field(default_factory=list, description="TODO")


class FlowSchemaSpec(ApiModel):
    """TODO."""

    priorityLevelConfiguration: Annotated[PriorityLevelConfigurationReference, Required()] = Field(
        default_factory=PriorityLevelConfigurationReference, description="TODO"
    )
    matchingPrecedence: Annotated[Int32, Always(), Default(0)] = Field(default=0, description="TODO")
    distinguisherMethod: FlowDistinguisherMethod | None = Field(default=None, description="TODO")
    rules: list[PolicyRulesWithSubjects] = Field(default_factory=list, description="TODO")


class FlowSchemaCondition(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.FlowSchemaConditionType")] = Field(default="", description="TODO")
    status: Annotated[str, Named("v1.ConditionStatus")] = Field(default="", description="TODO")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(default=None, description="TODO")
    reason: str = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")


class FlowSchemaStatus(ApiModel):
    """TODO."""

    conditions: Annotated[list[FlowSchemaCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="TODO"
    )


class FlowSchema(ApiObject):
    """TODO."""

    spec: FlowSchemaSpec = Field(default_factory=FlowSchemaSpec, description="TODO")
    status: FlowSchemaStatus = Field(default_factory=FlowSchemaStatus, description="TODO")
