"""ValidatingAdmissionPolicies and their bindings: expressions that a write must satisfy."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import Condition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64
from memkube.apis.admissionregistration.v1.rules.types import (
    MatchCondition,
    MatchResources,
    ParamKind,
    ParamRef,
    Variable,
)


class Validation(ApiModel):
    """An expression that has to hold."""

    expression: Annotated[str, Required()] = Field(
        default="", description="Expression in CEL that tells true or false."
    )
    message: str = Field(default="", description="What is said where it does not hold.")
    reason: Annotated[str | None, Named("v1.StatusReason")] = Field(
        default=None, description="Why the request is refused: Unauthorized, Forbidden, Invalid, RequestEntityTooLarge."
    )
    messageExpression: str = Field(default="", description="Expression in CEL for what is said instead.")


class AuditAnnotation(ApiModel):
    """A remark in the audit log."""

    key: Annotated[str, Required()] = Field(default="", description="Key of the annotation, behind the policy's name.")
    valueExpression: Annotated[str, Required()] = Field(
        default="", description="Expression in CEL for its value; null leaves it out."
    )


class ValidatingAdmissionPolicySpec(ApiModel):
    """What a policy is about, and what it demands."""

    paramKind: ParamKind | None = Field(default=None, description="Kind of the objects with its parameters.")
    matchConstraints: MatchResources | None = Field(default=None, description="Requests that it is about.")
    validations: list[Validation] = Field(default_factory=list, description="What has to hold.")
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None, description="What becomes of the request when the policy cannot be evaluated: Fail or Ignore."
    )
    auditAnnotations: list[AuditAnnotation] = Field(default_factory=list, description="Remarks in the audit log.")
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Expressions that must all hold for the policy to be evaluated."
    )
    variables: Annotated[list[Variable], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Named expressions, each of which may use those before it."
    )


class ExpressionWarning(ApiModel):
    """What is doubtful about an expression."""

    fieldRef: Annotated[str, Required()] = Field(default="", description="Path of the expression in the policy.")
    warning: Annotated[str, Required()] = Field(default="", description="What is doubtful, for people.")


class TypeChecking(ApiModel):
    """What came of checking the types in expressions."""

    expressionWarnings: list[ExpressionWarning] = Field(default_factory=list, description="Doubtful expressions.")


class ValidatingAdmissionPolicyStatus(ApiModel):
    """What controllers found out about a policy."""

    observedGeneration: Int64 = Field(default=0, description="Generation that the status is about.")
    typeChecking: TypeChecking | None = Field(default=None, description="What came of checking types.")
    conditions: Annotated[list[Condition], MapList(("type",))] = Field(
        default_factory=list, description="Aspects of the state."
    )


class ValidatingAdmissionPolicy(ApiObject):
    """Expressions that requests must satisfy, where a binding says so."""

    spec: ValidatingAdmissionPolicySpec = Field(
        default_factory=ValidatingAdmissionPolicySpec, description="What it is about, and what it demands."
    )
    status: ValidatingAdmissionPolicyStatus = Field(
        default_factory=ValidatingAdmissionPolicyStatus, description="What controllers found out about it."
    )


class ValidatingAdmissionPolicyBindingSpec(ApiModel):
    """Which policy holds for what."""

    policyName: Annotated[str, Required(omits_zero=True)] = Field(default="", description="Name of the policy.")
    paramRef: ParamRef | None = Field(default=None, description="Objects with the policy's parameters.")
    matchResources: MatchResources | None = Field(
        default=None, description="Requests for which it holds, of those that the policy is about."
    )
    validationActions: Annotated[
        list[Annotated[str, Named("v1.ValidationAction", ("Audit", "Deny", "Warn"))]],
        SetList(),
        Required(omits_zero=True),
    ] = Field(default_factory=list, description="What follows where an expression does not hold: Deny, Warn, Audit.")


class ValidatingAdmissionPolicyBinding(ApiObject):
    """Puts a policy into force."""

    spec: Annotated[ValidatingAdmissionPolicyBindingSpec, Required()] = Field(
        default_factory=ValidatingAdmissionPolicyBindingSpec, description="Which policy holds for what."
    )
