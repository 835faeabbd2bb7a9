"""Compiles and evaluates the validations and audit annotations of one ValidatingAdmissionPolicy.

Source: apiserver ``admission/plugin/policy/validating``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from memkube.admission.expressions.evaluation import (
    OUT_OF_BUDGET,
    POLICY_COST_LIMIT,
    Evaluation,
    Expression,
    Inputs,
    Outcome,
    compiled_variables,
    has_loops,
)
from memkube.admission.expressions.match_conditions import MatchConditions
from memkube.admission.policies.inputs import shown_namespace
from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.rules.expressions import ANNOTATION, CONDITION, MESSAGE, Expressions
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types import (
    ValidatingAdmissionPolicy,
    Validation,
)
from memkube.cel.errors import BudgetExhausted
from memkube.cel.program import Budget

_LONGEST_MESSAGE: Final = 5 * 1024


class Decision(NamedTuple):
    """Result of one item of a policy's ``spec.validations``."""

    denied: bool
    message: str = ""
    reason: str = "Invalid"


class Annotation(NamedTuple):
    """Result of one item of a policy's ``spec.auditAnnotations``: its value, or an error that denies the request."""

    key: str
    value: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Results of all validations and audit annotations of a policy.

    If the policy's failurePolicy is Ignore, a validation whose evaluation failed does not deny the request, and an
    audit annotation whose evaluation failed is left out.
    """

    decisions: Sequence[Decision] = ()
    annotations: Sequence[Annotation] = ()


class Validator:
    """Compiles the expressions of one ValidatingAdmissionPolicy, and evaluates them for requests."""

    def __init__(self, policy: ValidatingAdmissionPolicy) -> None:
        spec = policy.spec
        known = Expressions(spec.paramKind is not None, {})
        self._ignores = spec.failurePolicy == "Ignore"
        self.has_loops = has_loops(
            *(one.expression for one in spec.variables),
            *(one.expression for one in spec.matchConditions),
            *(text for one in spec.validations for text in (one.expression, one.messageExpression)),
            *(one.valueExpression for one in spec.auditAnnotations),
        )
        self._validations = spec.validations
        self._variables = compiled_variables(known, {one.name: one.expression for one in spec.variables})
        self._conditions = MatchConditions(spec.matchConditions, spec.failurePolicy, known, self._variables)
        self._demands = [Expression.compiled(known, one.expression, CONDITION) for one in spec.validations]
        self._messages = [_message(known, one.messageExpression) for one in spec.validations]
        self._annotations = [
            (one.key, Expression.compiled(known, one.valueExpression, ANNOTATION)) for one in spec.auditAnnotations
        ]

    def validate(self, inputs: Inputs, namespace: Document | None) -> Verdict:
        """Evaluate the policy for a request, and return the results of its validations and audit annotations.

        `inputs` has the values of the CEL variables, such as ``object``; `namespace` is the request's Namespace. The
        results are empty if the policy's match conditions are not met.
        """
        match = self._conditions.match(inputs)
        if match.error:
            return self._failed(match.error)
        if not match.matches:
            return Verdict()
        shown = replace(inputs, namespace=shown_namespace(namespace))
        budget = Budget(POLICY_COST_LIMIT)
        try:
            evaluation = Evaluation(shown, self._variables, budget)
            outcomes = [evaluation.evaluate(demand) for demand in self._demands]
            decisions = self._decisions(shown, outcomes, budget)
            return Verdict(decisions, self._annotated(replace(inputs, namespace=namespace, authority=None)))
        except BudgetExhausted:
            return self._failed(OUT_OF_BUDGET)

    def _failed(self, why: str) -> Verdict:
        return Verdict([Decision(not self._ignores, why)])

    def _decisions(self, inputs: Inputs, outcomes: Sequence[Outcome], budget: Budget) -> list[Decision]:
        exhausted = ""
        messages: Sequence[Outcome | None] = [None] * len(outcomes)
        evaluation = Evaluation(replace(inputs, authority=None), self._variables, budget)
        try:
            messages = [None if one is None else evaluation.evaluate(one) for one in self._messages]
        except BudgetExhausted:
            exhausted = f"failed messageExpression: {OUT_OF_BUDGET}"
        decisions = []
        for validation, outcome, message in zip(self._validations, outcomes, messages, strict=True):
            if outcome.error or exhausted:
                decisions.append(Decision(not self._ignores, outcome.error or exhausted))
            elif outcome.value is True:
                decisions.append(Decision(denied=False))
            else:
                reason = validation.reason or "Invalid"
                decisions.append(Decision(denied=True, message=_failure_message(validation, message), reason=reason))
        return decisions

    def _annotated(self, inputs: Inputs) -> list[Annotation]:
        """Evaluate the policy's audit annotations. Return those with a value, and those whose evaluation failed.

        `inputs` has the values of the CEL variables. With failurePolicy Ignore, failed annotations are left out. Raises
        BudgetExhausted if the evaluation costs too much.
        """
        evaluation = Evaluation(inputs, self._variables, Budget(POLICY_COST_LIMIT))
        found = []
        for key, expression in self._annotations:
            outcome = evaluation.evaluate(expression)
            value = outcome.value.strip() if isinstance(outcome.value, str) else ""
            if value or (outcome.error and not self._ignores):
                found.append(Annotation(key, value, outcome.error))
        return found


def _message(known: Expressions, text: str) -> Expression | None:
    return Expression.compiled(known, text, MESSAGE, authorizer=False) if text else None


def _failure_message(validation: Validation, evaluated: Outcome | None) -> str:
    """Return the error message of a failed validation.

    `evaluated` is the result of its messageExpression, None if it has no such expression. If the result is a text of
    one line that is not blank and not too long, this text is returned; otherwise, the validation's message; without a
    message, a text with the validation's expression.
    """
    value = evaluated.value if evaluated is not None else None
    message = value.strip() if isinstance(value, str) else ""
    if message and len(message.encode()) <= _LONGEST_MESSAGE and "\n" not in message:
        return message
    return validation.message.strip() or f"failed expression: {validation.expression.strip()}"
