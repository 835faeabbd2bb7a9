"""Compiles and evaluates the matchConditions of webhooks and policies (apiserver ``webhook/matchconditions``)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from memkube.admission.expressions.evaluation import (
    MATCH_CONDITIONS_COST_LIMIT,
    OUT_OF_BUDGET,
    Evaluation,
    Expression,
    Inputs,
    has_loops,
    plain_json,
)
from memkube.apis.admissionregistration.v1.rules.expressions import CONDITION, Expressions
from memkube.apis.admissionregistration.v1.rules.types import MatchCondition
from memkube.cel.errors import BudgetExhausted
from memkube.cel.program import Budget


class Match(NamedTuple):
    """Result of evaluating the match conditions of a webhook or policy for a request.

    `matches` is True if all conditions are met. `error` is not empty if the request must be refused, because a
    condition could not be evaluated.
    """

    matches: bool
    error: str = ""


class MatchConditions:
    """Compiled match conditions of one webhook or policy."""

    def __init__(
        self,
        conditions: Sequence[MatchCondition],
        failure_policy: str | None,
        known: Expressions | None = None,
        variables: Mapping[str, Expression] | None = None,
    ) -> None:
        known = known or Expressions()
        self._conditions = [Expression.compiled(known, one.expression, CONDITION) for one in conditions]
        self._ignores = failure_policy == "Ignore"
        self._variables = variables or {}
        self.has_loops = has_loops(*(one.expression for one in conditions))
        """True if the conditions contain loops and may take long. Loops in the variables that they use do not count."""

    def match(self, inputs: Inputs) -> Match:
        """Evaluate the conditions for a request, and return whether all of them are met.

        `inputs` has the values of the CEL variables. ``namespaceObject`` is null in all match conditions, whatever
        `inputs` has for it. If one condition is false, the result is no match, even if the evaluation of another
        condition failed.
        """
        if not self._conditions:
            return Match(matches=True)
        budget = Budget(MATCH_CONDITIONS_COST_LIMIT)
        inputs = replace(inputs, new=plain_json(inputs.new), old=plain_json(inputs.old), namespace=None)
        evaluation = Evaluation(inputs, self._variables, budget)
        try:
            outcomes = [evaluation.evaluate(condition) for condition in self._conditions]
        except BudgetExhausted:
            return self._failed(OUT_OF_BUDGET)
        if any(outcome.value is False for outcome in outcomes):
            return Match(matches=False)
        errors = list(dict.fromkeys(outcome.error for outcome in outcomes if outcome.error))
        if errors:
            return self._failed(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")
        return Match(matches=True)

    def _failed(self, why: str) -> Match:
        return Match(matches=False, error="" if self._ignores else why)
