"""Compiled Stages: selector, weight, delay and steps (KWOK's ``pkg/utils/lifecycle``)."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.go_integers import truncated_to_int64
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time, parse_go_time
from memkube.controllers.stages.languages.cel import CelExpression
from memkube.controllers.stages.languages.jq import Query

Draw: TypeAlias = Callable[[int], int]
"""Function that takes a number N, and returns a random number from 0 to N - 1."""
Expression: TypeAlias = Query | CelExpression

_OCTAL: Final = re.compile(r"[+-]?0[0-7]+$")
_NANOSECONDS: Final = 1_000_000_000


def data_for_jq(data: bytes) -> Any:
    """Parse JSON as KWOK does for jq expressions: all numbers become floats."""
    return json.loads(data, parse_int=float)


class Candidate(NamedTuple):
    """An object that is tested with the selectors of Stages."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    data: Any
    """The object as parsed JSON for jq expressions, in which all numbers are floats."""
    document: Document
    """The object as JSON data, the variable ``self`` of CEL expressions."""


class Requirement(NamedTuple):
    """A requirement on the results of a jq query for an object (``pkg/utils/expression``)."""

    query: Query
    operator: str
    values: Collection[str]

    def is_met(self, candidate: Candidate) -> bool:
        """Return True if an object meets this requirement of a Stage's selector.

        A jq query that fails counts as a query without results.
        """
        results = self.query.execute(candidate.data)
        if self.operator in ("In", "NotIn"):
            has_value = results is not None and any(self._is_listed(result) for result in results)
            return has_value == (self.operator == "In")
        return bool(results) == (self.operator == "Exists")

    def _is_listed(self, result: Any) -> bool:
        if isinstance(result, bool):
            return str(result).lower() in self.values
        if isinstance(result, int):
            # This integer was computed by the jq query. Numbers that are in the object itself are floats, and never
            # equal one of the values, as in KWOK.
            return str(result) in self.values
        return isinstance(result, str) and result in self.values


class Condition(NamedTuple):
    """A CEL expression in a Stage's selector, which must be true for an object."""

    expression: CelExpression

    def is_met(self, candidate: Candidate) -> bool:
        """Return True if this condition of a Stage's selector is true for an object.

        Raises CelFailed if the CEL expression cannot be evaluated or is not boolean.
        """
        return self.expression.condition(candidate.document)


class Selector(NamedTuple):
    """The selector of a Stage. An object must meet all of its requirements."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    requirements: Sequence[Requirement | Condition]

    def selects(self, candidate: Candidate) -> bool:
        """Return True if the selector of a Stage selects an object.

        Raises CelFailed if a condition cannot be evaluated.
        """
        return (
            self.labels.items() <= candidate.labels.items()
            and self.annotations.items() <= candidate.annotations.items()
            and all(requirement.is_met(candidate) for requirement in self.requirements)
        )


class Weight(NamedTuple):
    """Weight of a Stage, if several Stages select an object: a constant, or an expression for the object."""

    value: int
    expression: Expression | None

    def of(self, candidate: Candidate) -> int | None:
        """Return the weight of a Stage for an object.

        It is the result of the expression. Without an expression, or if a jq query has no suitable result, it is the
        constant weight. It is None if a jq query results in a text that is not an integer. Raises CelFailed if a CEL
        expression cannot be evaluated.
        """
        if isinstance(self.expression, CelExpression):
            return self.expression.integer(candidate.document)
        results = self.expression.execute(candidate.data) if self.expression is not None else None
        if not results:
            return self.value
        if isinstance(results[0], str):
            return _parsed_int(results[0])
        return truncated_to_int64(results[0]) if isinstance(results[0], float) else self.value


def _parsed_int(text: str) -> int | None:
    """Parse an integer as Go's ``strconv.ParseInt`` with base 0 does. Returns None if the text is not an integer."""
    try:
        return int(text, 8 if _OCTAL.match(text) else 0) if text == text.strip() else None
    except ValueError:
        return None


class Span(NamedTuple):
    """A duration in a Stage, such as its delay: a constant in nanoseconds, or an expression for an object."""

    value: int | None
    """The constant; None if the Stage has none."""
    expression: Expression | None
    """The expression, whose result replaces the constant; None if the Stage has none."""

    def of(self, candidate: Candidate, now: datetime) -> int | None:
        """Return the duration in nanoseconds for the object `candidate`, or None if there is none.

        It is the result of the expression. Without an expression, or if a jq query has no suitable result, it is the
        constant. If a jq query results in a point in time, the duration is the time from `now` until then. Raises
        CelFailed if a CEL expression cannot be evaluated.
        """
        if isinstance(self.expression, CelExpression):
            return self.expression.nanoseconds(candidate.document)
        results = self.expression.execute(candidate.data) if self.expression is not None else None
        if not results or not isinstance(results[0], str):
            return self.value
        text: str = results[0]
        if not text:
            return None
        try:
            return (parse_go_time(text, Time.layout, micro=False) - now) // timedelta(microseconds=1) * 1000
        except ValueError:
            pass
        try:
            return round(parse_duration(text) * _NANOSECONDS)
        except ValueError:
            return self.value


class Delay(NamedTuple):
    """The delay before a Stage is executed: a random duration from `duration` to `jitter`."""

    duration: Span
    jitter: Span
    """Maximum delay of the Stage. If it is not set, the delay is always `duration`."""

    def of(self, candidate: Candidate, now: datetime, draw: Draw) -> timedelta:
        """Return the delay of a Stage for an object.

        The delay is random between `duration` and `jitter`, or is `jitter` if that is less than `duration`. `draw`
        returns a random number below its argument. Raises CelFailed if a CEL expression cannot be evaluated.
        """
        return timedelta(microseconds=self._nanoseconds(candidate, now, draw) / 1000)

    def _nanoseconds(self, candidate: Candidate, now: datetime, draw: Draw) -> int:
        duration = self.duration.of(candidate, now)
        if duration is None:
            return 0
        latest = self.jitter.of(candidate, now)
        if latest is None:
            return duration
        return latest if latest <= duration else duration + draw(latest - duration)


class SendEvent(NamedTuple):
    """Action of a Stage: create an Event about the object that the Stage is applied to."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str


class ChangeFinalizers(NamedTuple):
    """Action of a Stage: add and remove finalizers of the object that the Stage is applied to."""

    add: Sequence[str]
    remove: Sequence[str]
    empty: bool


class PatchObject(NamedTuple):
    """Action of a Stage: patch the object that the Stage is applied to."""

    type: str
    """Type of the patch: ``json``, ``merge`` or ``strategic``; empty for the default of the kind."""
    root: str
    """Name of the object's field that the rendered template replaces or patches; empty for the whole object."""
    subresource: str
    template: Any
    user: str
    """Name of the user who is impersonated for the patch; empty if there is none."""


class ApplyObject(NamedTuple):
    """Action of a Stage: create or patch another object."""

    type: str
    """Type of the patch if the object exists: ``apply``, ``merge`` or ``strategic``."""
    subresource: str
    template: Any
    user: str
    """Name of the user who is impersonated for the creation or patch; empty if there is none."""


class DeleteObject(NamedTuple):
    """Action of a Stage: delete the object that the Stage is applied to."""


Action: TypeAlias = SendEvent | ChangeFinalizers | PatchObject | ApplyObject | DeleteObject


class Stage(NamedTuple):
    """A Stage whose expressions and templates are compiled."""

    name: str
    selector: Selector
    weight: Weight
    delay: Delay
    steps: Sequence[Sequence[Action]]
    """The steps of the Stage, each with its actions in the order of their execution."""


def chosen(stages: Sequence[Stage], candidate: Candidate, draw: Draw) -> Stage | None:
    """Return the next Stage of an object, or None if no Stage selects it (``Lifecycle.Match``).

    If several Stages select the object, one is drawn at random by weight. `draw` returns a random number below its
    argument. Raises CelFailed if a CEL expression cannot be evaluated.
    """
    matching = [stage for stage in stages if stage.selector.selects(candidate)]
    if len(matching) < 2:
        return matching[0] if matching else None
    weights = [stage.weight.of(candidate) for stage in matching]
    if (total := sum(weight for weight in weights if weight is not None)) > 0:
        return _drawn(matching, weights, draw(total))
    weighted = [stage for stage, weight in zip(matching, weights, strict=True) if weight is not None and weight >= 0]
    among = weighted or matching
    return among[draw(len(among))]


def _drawn(stages: Sequence[Stage], weights: Sequence[int | None], number: int) -> Stage:
    for stage, weight in zip(stages, weights, strict=True):
        number -= max(weight or 0, 0)
        if number < 0:
            return stage
    return stages[-1]


def finalizers_patch(present: Sequence[str], step: ChangeFinalizers) -> list[Document]:
    """Return a JSON patch that changes an object's `present` finalizers as `step` says; empty if nothing changes."""
    patch: list[Document] = []
    kept = [] if step.empty else [each for each in present if each not in step.remove]
    if not kept and present and (step.empty or step.remove):
        patch.append({"op": "remove", "path": "/metadata/finalizers"})
    elif kept != list(present):
        indices = [index for index, each in enumerate(present) if each in step.remove]
        patch += [{"op": "remove", "path": f"/metadata/finalizers/{index}"} for index in reversed(indices)]
    if not step.add:
        return patch
    if not kept:
        return [*patch, {"op": "add", "path": "/metadata/finalizers", "value": list(step.add)}]
    added = [each for each in step.add if each not in present]
    return patch + [{"op": "add", "path": "/metadata/finalizers/-", "value": each} for each in added]
