"""ValidatingAdmissionPolicies and their bindings: expressions that a write must satisfy."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64
from memkube.apis.admissionregistration.v1.webhookconfigurations.types import MatchCondition


class ParamKind(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: str = Field(default="", description="TODO")
    kind: str = Field(default="", description="TODO")


class NamedRuleWithOperations(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    resourceNames: list[str] = Field(default_factory=list, description="TODO")
    operations: list[Annotated[str, Named("v1.OperationType", ("*", "CONNECT", "CREATE", "DELETE", "UPDATE"))]] = Field(
        default_factory=list, description="TODO"
    )
    apiGroups: list[str] = Field(default_factory=list, description="TODO")
    apiVersions: list[str] = Field(default_factory=list, description="TODO")
    resources: list[str] = Field(default_factory=list, description="TODO")
    scope: Annotated[str | None, Named("v1.ScopeType", ("*", "Cluster", "Namespaced"))] = Field(
        default=None, description="TODO"
    )


class MatchResources(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    namespaceSelector: LabelSelector | None = Field(default=None, description="TODO")
    objectSelector: LabelSelector | None = Field(default=None, description="TODO")
    resourceRules: list[NamedRuleWithOperations] = Field(default_factory=list, description="TODO")
    excludeResourceRules: list[NamedRuleWithOperations] = Field(default_factory=list, description="TODO")
    matchPolicy: Annotated[str | None, Named("v1.MatchPolicyType", ("Equivalent", "Exact"))] = Field(
        default=None, description="TODO"
    )


class Validation(ApiModel):
    """TODO."""

    expression: Annotated[str, Required()] = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")
    reason: Annotated[str | None, Named("v1.StatusReason")] = Field(default=None, description="TODO")
    messageExpression: str = Field(default="", description="TODO")


class AuditAnnotation(ApiModel):
    """TODO."""

    key: Annotated[str, Required()] = Field(default="", description="TODO")
    valueExpression: Annotated[str, Required()] = Field(default="", description="TODO")


class Variable(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    name: Annotated[str, Required()] = Field(default="", description="TODO")
    expression: Annotated[str, Required()] = Field(default="", description="TODO")


class ValidatingAdmissionPolicySpec(ApiModel):
    """TODO."""

    paramKind: ParamKind | None = Field(default=None, description="TODO")
    matchConstraints: MatchResources | None = Field(default=None, description="TODO")
    validations: list[Validation] = Field(default_factory=list, description="TODO")
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None, description="TODO"
    )
    auditAnnotations: list[AuditAnnotation] = Field(default_factory=list, description="TODO")
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="TODO"
    )
    variables: Annotated[list[Variable], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="TODO"
    )


class ExpressionWarning(ApiModel):
    """TODO."""

    fieldRef: Annotated[str, Required()] = Field(default="", description="TODO")
    warning: Annotated[str, Required()] = Field(default="", description="TODO")


class TypeChecking(ApiModel):
    """TODO."""

    expressionWarnings: list[ExpressionWarning] = Field(default_factory=list, description="TODO")


class ValidatingAdmissionPolicyStatus(ApiModel):
    """TODO."""

    observedGeneration: Int64 = Field(default=0, description="TODO")
    typeChecking: TypeChecking | None = Field(default=None, description="TODO")
    conditions: Annotated[list[Condition], MapList(("type",))] = Field(default_factory=list, description="TODO")


class ValidatingAdmissionPolicy(ApiObject):
    """TODO."""

    spec: ValidatingAdmissionPolicySpec = Field(default_factory=ValidatingAdmissionPolicySpec, description="TODO")
    status: ValidatingAdmissionPolicyStatus = Field(default_factory=ValidatingAdmissionPolicyStatus, description="TODO")


class ParamRef(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="TODO")
    namespace: str = Field(default="", description="TODO")
    selector: LabelSelector | None = Field(default=None, description="TODO")
    parameterNotFoundAction: Annotated[str | None, Named("v1.ParameterNotFoundActionType")] = Field(
        default=None, description="TODO"
    )


class ValidatingAdmissionPolicyBindingSpec(ApiModel):
    """TODO."""

    policyName: Annotated[str, Required(omits_zero=True)] = Field(default="", description="TODO")
    paramRef: ParamRef | None = Field(default=None, description="TODO")
    matchResources: MatchResources | None = Field(default=None, description="TODO")
    validationActions: Annotated[
        list[Annotated[str, Named("v1.ValidationAction", ("Audit", "Deny", "Warn"))]],
        SetList(),
        Required(omits_zero=True),
    ] = Field(default_factory=list, description="TODO")


class ValidatingAdmissionPolicyBinding(ApiObject):
    """TODO."""

    spec: Annotated[ValidatingAdmissionPolicyBindingSpec, Required()] = Field(
        default_factory=ValidatingAdmissionPolicyBindingSpec, description="TODO"
    )
