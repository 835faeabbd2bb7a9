"""Types for request matching, shared by webhooks and policies."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel

_Operation = Annotated[str, Named("v1.OperationType", ("*", "CONNECT", "CREATE", "DELETE", "UPDATE"))]


class Rule(ApiModel):
    """API groups, versions and resources to which a webhook or policy applies; ``*`` means all."""

    apiGroups: list[str] = Field(default_factory=list, description="API groups of the resources; * for all.")
    apiVersions: list[str] = Field(default_factory=list, description="API versions of the resources; * for all.")
    resources: list[str] = Field(
        default_factory=list,
        description="Resources and subresources, such as pods, pods/log, pods/*, */scale, * or */*.",
    )
    scope: Annotated[str | None, Named("v1.ScopeType", ("*", "Cluster", "Namespaced"))] = Field(
        default=None, description="Scope of the resources: Cluster, Namespaced or *."
    )


class _Operations(ApiModel):
    go_struct: ClassVar[bool] = False

    operations: list[_Operation] = Field(
        default_factory=list, description="Operations: CREATE, UPDATE, DELETE, CONNECT or *."
    )


class RuleWithOperations(Rule, _Operations):
    """Operations (such as CREATE) and the resources to which a webhook applies."""

    go_struct: ClassVar[bool] = True


class _ResourceNames(ApiModel):
    go_struct: ClassVar[bool] = False

    resourceNames: list[str] = Field(
        default_factory=list, description="Names of the objects to which the rule applies; all objects if empty."
    )


class NamedRuleWithOperations(RuleWithOperations, _ResourceNames):
    """Operations, resources and optionally object names to which a policy applies."""

    struct_type: ClassVar[str] = "atomic"
    go_struct: ClassVar[bool] = True


class MatchCondition(ApiModel):
    """A named CEL condition that a request must satisfy to be sent to the webhook or checked by the policy."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the condition, used in messages.")
    expression: Annotated[str, Required()] = Field(
        default="", description="CEL expression over the request; if false, the webhook or policy is skipped."
    )


class MatchResources(ApiModel):
    """Selectors and resource rules for the requests to which a policy or binding applies."""

    struct_type: ClassVar[str] = "atomic"

    namespaceSelector: LabelSelector | None = Field(
        default=None, description="Label selector for the namespaces of matching requests."
    )
    objectSelector: LabelSelector | None = Field(
        default=None, description="Label selector that the object must match, before or after the change."
    )
    resourceRules: list[NamedRuleWithOperations] = Field(
        default_factory=list, description="Operations and resources to match; one of the rules must match."
    )
    excludeResourceRules: list[NamedRuleWithOperations] = Field(
        default_factory=list, description="Operations and resources that never match, even if resourceRules match them."
    )
    matchPolicy: Annotated[str | None, Named("v1.MatchPolicyType", ("Equivalent", "Exact"))] = Field(
        default=None,
        description="Equivalent if rules match requests for other versions of their resources too; otherwise Exact.",
    )


class ParamKind(ApiModel):
    """apiVersion and kind of a policy's parameter objects."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: str = Field(
        default="", description="Group and version of the parameter objects, such as example.com/v1."
    )
    kind: str = Field(default="", description="Kind of the parameter objects, such as ConfigMap.")


class ParamRef(ApiModel):
    """Reference of a binding to the parameter objects of its policy, by name or by label selector."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="Name of the parameter object; mutually exclusive with selector.")
    namespace: str = Field(
        default="",
        description="Namespace of the parameter objects if their kind is namespaced; if empty, that of the request.",
    )
    selector: LabelSelector | None = Field(
        default=None, description="Label selector for the parameter objects; mutually exclusive with name."
    )
    parameterNotFoundAction: Annotated[str | None, Named("v1.ParameterNotFoundActionType")] = Field(
        default=None, description="Action if there are no parameter objects: Allow, which skips the policy, or Deny."
    )


class Variable(ApiModel):
    """A named CEL expression whose value other expressions of the policy can use."""

    struct_type: ClassVar[str] = "atomic"

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the variable, used in later expressions as variables.NAME."
    )
    expression: Annotated[str, Required()] = Field(
        default="", description="CEL expression that computes the variable's value."
    )
