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
    """A CEL expression that must be true for the request to be accepted, and the error if it is not."""

    expression: Annotated[str, Required()] = Field(
        default="", description="CEL expression that must be true for the request to be accepted."
    )
    message: str = Field(
        default="", description="Error message if the expression is false; by default, it quotes the expression."
    )
    reason: Annotated[str | None, Named("v1.StatusReason")] = Field(
        default=None, description="Reason of the failure: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge."
    )
    messageExpression: str = Field(
        default="", description="CEL expression that returns the message; overrides message."
    )


class AuditAnnotation(ApiModel):
    """A key and a CEL expression whose value is added to the request's audit event."""

    key: Annotated[str, Required()] = Field(
        default="", description="Key of the annotation; audit events show it as POLICY/KEY."
    )
    valueExpression: Annotated[str, Required()] = Field(
        default="", description="CEL expression that returns the value; null omits the annotation."
    )


class ValidatingAdmissionPolicySpec(ApiModel):
    """Desired behavior of a ValidatingAdmissionPolicy: the requests it matches and its validations."""

    paramKind: ParamKind | None = Field(
        default=None, description="API version and kind of the parameter objects; unset if the policy has none."
    )
    matchConstraints: MatchResources | None = Field(
        default=None, description="Resource rules and selectors for the requests to which the policy applies."
    )
    validations: list[Validation] = Field(
        default_factory=list, description="CEL expressions that must all be true for a request to be accepted."
    )
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None,
        description="Action if the policy cannot be evaluated: Fail, which rejects the request, or Ignore.",
    )
    auditAnnotations: list[AuditAnnotation] = Field(
        default_factory=list,
        description="Annotations to add to a request's audit event, with CEL expressions for their values.",
    )
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="CEL conditions that must all hold for the policy to be evaluated."
    )
    variables: Annotated[list[Variable], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Named CEL expressions; each can use the values of those before it."
    )


class ExpressionWarning(ApiModel):
    """A warning about a type error in one CEL expression of a policy."""

    fieldRef: Annotated[str, Required()] = Field(
        default="", description="Field path of the expression, such as spec.validations[0].expression."
    )
    warning: Annotated[str, Required()] = Field(
        default="", description="Type errors of the expression, as human-readable text."
    )


class TypeChecking(ApiModel):
    """Results of type checking the policy's expressions."""

    expressionWarnings: list[ExpressionWarning] = Field(
        default_factory=list,
        description="Type errors in the policy's CEL expressions, with the paths of the expressions.",
    )


class ValidatingAdmissionPolicyStatus(ApiModel):
    """Observed state of a policy: the observed generation, type checking results and conditions."""

    observedGeneration: Int64 = Field(
        default=0, description="metadata.generation of the policy that the status describes."
    )
    typeChecking: TypeChecking | None = Field(
        default=None, description="Type errors in the policy's CEL expressions; set once they have been checked."
    )
    conditions: Annotated[list[Condition], MapList(("type",))] = Field(
        default_factory=list, description="Conditions of the policy, by type; Kubernetes' own controllers set none."
    )


class ValidatingAdmissionPolicy(ApiObject):
    """A policy that accepts or rejects requests by CEL expressions. It takes effect if a binding refers to it."""

    spec: ValidatingAdmissionPolicySpec = Field(
        default_factory=ValidatingAdmissionPolicySpec,
        description="Requests that the policy matches, and the validations of these requests.",
    )
    status: ValidatingAdmissionPolicyStatus = Field(
        default_factory=ValidatingAdmissionPolicyStatus,
        description="Conditions, and type errors in the CEL expressions; written by a controller.",
    )


class ValidatingAdmissionPolicyBindingSpec(ApiModel):
    """Name of the bound policy, its parameters and resources, and the actions if a validation fails."""

    policyName: Annotated[str, Required(omits_zero=True)] = Field(
        default="", description="Name of the ValidatingAdmissionPolicy that the binding puts into effect."
    )
    paramRef: ParamRef | None = Field(
        default=None, description="Name or selector of the parameter objects, for a policy with paramKind."
    )
    matchResources: MatchResources | None = Field(
        default=None,
        description="Further limits on the requests to which the policy applies; no further limits if unset.",
    )
    validationActions: Annotated[
        list[Annotated[str, Named("v1.ValidationAction", ("Audit", "Deny", "Warn"))]],
        SetList(),
        Required(omits_zero=True),
    ] = Field(default_factory=list, description="Actions if a validation fails: Deny, Warn, Audit.")


class ValidatingAdmissionPolicyBinding(ApiObject):
    """Puts a ValidatingAdmissionPolicy into effect, with parameters and actions on failure."""

    spec: Annotated[ValidatingAdmissionPolicyBindingSpec, Required()] = Field(
        default_factory=ValidatingAdmissionPolicyBindingSpec,
        description="Policy, parameters and matching requests of the binding, and the actions if a validation fails.",
    )
