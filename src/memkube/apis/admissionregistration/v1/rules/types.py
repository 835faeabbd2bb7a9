"""Which requests webhooks and policies are about."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel

_Operation = Annotated[str, Named("v1.OperationType", ("*", "CONNECT", "CREATE", "DELETE", "UPDATE"))]


class Rule(ApiModel):
    """Resources, by their groups, versions and names."""

    apiGroups: list[str] = Field(default_factory=list, description="Groups of the resources; * for all.")
    apiVersions: list[str] = Field(default_factory=list, description="Versions of the resources; * for all.")
    resources: list[str] = Field(
        default_factory=list, description="Resources and subresources: pods, pods/log, pods/*, */scale, * or */*."
    )
    scope: Annotated[str | None, Named("v1.ScopeType", ("*", "Cluster", "Namespaced"))] = Field(
        default=None, description="Whether it is about resources in namespaces: Cluster, Namespaced or *."
    )


class _Operations(ApiModel):
    go_struct: ClassVar[bool] = False

    operations: list[_Operation] = Field(
        default_factory=list, description="What is done: CREATE, UPDATE, DELETE, CONNECT or *."
    )


class RuleWithOperations(Rule, _Operations):
    """What is done with which resources."""

    go_struct: ClassVar[bool] = True


class _ResourceNames(ApiModel):
    go_struct: ClassVar[bool] = False

    resourceNames: list[str] = Field(default_factory=list, description="Names of the objects; all if it is empty.")


class NamedRuleWithOperations(RuleWithOperations, _ResourceNames):
    """What is done with which objects."""

    struct_type: ClassVar[str] = "atomic"
    go_struct: ClassVar[bool] = True


class MatchCondition(ApiModel):
    """An expression that must hold for a request to be looked at."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the condition in messages.")
    expression: Annotated[str, Required()] = Field(
        default="", description="Expression in CEL that tells true or false."
    )


class MatchResources(ApiModel):
    """The requests that a policy is about."""

    struct_type: ClassVar[str] = "atomic"

    namespaceSelector: LabelSelector | None = Field(
        default=None, description="Which namespaces it is about, by their labels."
    )
    objectSelector: LabelSelector | None = Field(
        default=None, description="Which objects it is about, by their labels before or after the change."
    )
    resourceRules: list[NamedRuleWithOperations] = Field(
        default_factory=list, description="What is done with which objects; one of the rules has to fit."
    )
    excludeResourceRules: list[NamedRuleWithOperations] = Field(
        default_factory=list, description="What it is not about; none of the rules may fit."
    )
    matchPolicy: Annotated[str | None, Named("v1.MatchPolicyType", ("Equivalent", "Exact"))] = Field(
        default=None, description="Whether rules hold for other versions of their resources too: Equivalent or Exact."
    )


class ParamKind(ApiModel):
    """A kind of objects that a policy takes its parameters from."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: str = Field(default="", description="Group and version of the kind.")
    kind: str = Field(default="", description="Name of the kind.")


class ParamRef(ApiModel):
    """The objects that a policy takes its parameters from."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="Name of the object, unless there is a selector.")
    namespace: str = Field(
        default="", description="Namespace of the objects; that of the request's object if it is empty."
    )
    selector: LabelSelector | None = Field(default=None, description="Which objects, by their labels.")
    parameterNotFoundAction: Annotated[str | None, Named("v1.ParameterNotFoundActionType")] = Field(
        default=None, description="What becomes of requests when there are no such objects: Allow or Deny."
    )


class Variable(ApiModel):
    """An expression that others may use by a name."""

    struct_type: ClassVar[str] = "atomic"

    name: Annotated[str, Required()] = Field(default="", description="Name, used as variables.NAME.")
    expression: Annotated[str, Required()] = Field(default="", description="Expression in CEL for its value.")
