"""Evaluates all ValidatingAdmissionPolicies that match a request, and denies, warns or audits as bindings say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from memkube.admission.expressions.evaluation import run_evaluation
from memkube.admission.policies.inputs import inputs_of, namespace_object
from memkube.admission.policies.policy_source import Failure, Invocation, PolicySource
from memkube.admission.policies.validator import Annotation, Decision, Validator, Verdict
from memkube.apimachinery.errors import ApiError, Cause
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types import (
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
)
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.registry import Registry

_Invocation: TypeAlias = Invocation[ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, Validator]
_Failure: TypeAlias = Failure[ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, Validator]
_FAILURES: Final = "validation.policy.admission.k8s.io/validation_failure"
_LONGEST_ANNOTATION: Final = 10 * 1024
_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_UNPROCESSABLE: Final = 422


@dataclass(frozen=True, slots=True)
class _Denial:
    """A failed validation, with the policy and binding that deny the request because of it."""

    policy: str
    binding: str
    decision: Decision

    def refusal(self, attributes: Attributes) -> ApiError:
        with_binding = f" with binding '{self.binding}'" if self.binding else ""
        policy = f"ValidatingAdmissionPolicy '{self.policy}'{with_binding}"
        message = f"{policy} denied request: {self.decision.message}"
        error = refused(attributes, message)
        assert error.details is not None
        error.reason = self.decision.reason
        error.code = _CODES.get(error.reason, _UNPROCESSABLE)
        error.details = error.details._replace(causes=(Cause(message=message),))
        return error


class ValidatingPolicies:
    """Evaluates all stored ValidatingAdmissionPolicies for each request.

    Source: apiserver ``admission/plugin/policy/validating``.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        read = (ValidatingAdmissionPolicy.from_document, ValidatingAdmissionPolicyBinding.from_document)
        self._source = PolicySource(registry, "validating", read, Validator)

    async def validate(self, attributes: Attributes) -> None:
        """Evaluate all policies that match the request. Raises ApiError for the first denial."""
        denials: list[_Denial] = []
        annotations: dict[str, dict[str, list[str]]] = {}
        async for invocation in self._source.matching(attributes):
            if isinstance(invocation, Failure):
                denials += _denials_of_failure(invocation)
                continue
            collected = annotations.setdefault(invocation.policy.name, {})
            denials += await self._evaluated(invocation, attributes, collected)
        for policy, collected in annotations.items():
            for key, values in collected.items():
                attributes.context.annotate(f"{policy}/{key}", ", ".join(values))
        if denials:
            raise denials[0].refusal(attributes)

    async def _evaluated(
        self, invocation: _Invocation, attributes: Attributes, collected: dict[str, list[str]]
    ) -> list[_Denial]:
        if not invocation.params:
            return []
        try:
            inputs = await inputs_of(attributes, invocation.match, self._registry.kind_services.authorizer)
        except ApiError as error:
            why = f"failed to configure binding: failed to convert object version: {error.message}"
            return _denials_of_failure(Failure(invocation.policy, invocation.binding, why))
        namespace = await namespace_object(attributes, self._registry)
        validator = invocation.policy.evaluator

        def validate(params: Document | None) -> Verdict:
            return validator.validate(replace(inputs, params=params), namespace)

        verdicts = [
            await run_evaluation(partial(validate, each), loops=validator.has_loops) for each in invocation.params
        ]
        denials: list[_Denial] = []
        for verdict in verdicts:
            denials += _acted_upon(invocation, verdict.decisions, attributes)
            denials += _annotated(invocation, verdict.annotations, collected)
        return denials


def _denials_of_failure(failure: _Failure) -> list[_Denial]:
    if failure.policy.ignores_failures:
        return []
    binding = failure.binding.name if failure.binding else ""
    return [_Denial(failure.policy.name, binding, Decision(denied=True, message=failure.why))]


def _acted_upon(invocation: _Invocation, decisions: Sequence[Decision], attributes: Attributes) -> list[_Denial]:
    """Apply the validationActions of a binding (Warn, Audit, Deny) to each failed validation in `decisions`.

    `invocation` has the policy and the binding. Returns the failed validations that deny the request.
    """
    policy, binding, context = invocation.policy.name, invocation.binding.name, attributes.context
    denials = []
    for index, decision in enumerate(decisions):
        if not decision.denied:
            continue
        actions = invocation.binding.model.spec.validationActions
        if "Deny" in actions:
            denials.append(_Denial(policy, binding, decision))
        if "Audit" in actions:
            failure = _failure(invocation, index, decision)
            context.annotate(_FAILURES, to_json([failure]).decode())
        if "Warn" in actions:
            about = f"Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}'"
            context.warn(f"{about}: {decision.message}")
    return denials


def _failure(invocation: _Invocation, index: int, decision: Decision) -> Document:
    return {
        "message": decision.message,
        "policy": invocation.policy.name,
        "binding": invocation.binding.name,
        "expressionIndex": index,
        "validationActions": invocation.binding.model.spec.validationActions,
    }


def _annotated(
    invocation: _Invocation, annotations: Sequence[Annotation], collected: dict[str, list[str]]
) -> list[_Denial]:
    """Add the values of a policy's audit annotations, `annotations`, to `collected`, by annotation key.

    A value that `collected` has already, from an evaluation with another parameter object, is not added again. Returns
    a denial of the request for each annotation whose evaluation failed.
    """
    denials = []
    for annotation in annotations:
        if annotation.error:
            decision = Decision(denied=True, message=annotation.error)
            denials.append(_Denial(invocation.policy.name, invocation.binding.name, decision))
            continue
        value = annotation.value.encode()[:_LONGEST_ANNOTATION].decode(errors="ignore")
        values = collected.setdefault(annotation.key, [])
        if value not in values:
            values.append(value)
    return denials
