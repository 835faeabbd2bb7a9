"""A compiled Stage: its selector, its weight, its delay and its steps (KWOK's ``pkg/utils/lifecycle``)."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time, parse_go_time
from memkube.controllers.stages.languages.cel import CelExpression
from memkube.controllers.stages.languages.jq import Query

Draw: TypeAlias = Callable[[int], int]
"""Function that returns a random number from 0 to its argument - 1."""
Expression: TypeAlias = Query | CelExpression

_OCTAL: Final = re.compile(r"[+-]?0[0-7]+$")
_NANOSECONDS: Final = 1_000_000_000


def data_for_jq(data: bytes) -> Any:
    """Return JSON as KWOK passes it to jq: all numbers are floats."""
    return json.loads(data, parse_int=float)


class Candidate(NamedTuple):
    """An object that Stages may select."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    data: Any
    """The object as returned by `data_for_jq`."""
    document: Document
    """The object as JSON data, for CEL."""


class Requirement(NamedTuple):
    """A requirement on the results of a query (``pkg/utils/expression``)."""

    query: Query
    operator: str
    values: Collection[str]

    def is_met(self, candidate: Candidate) -> bool:
        """Return True if the requirement is met. After an error of the query, it has no result."""
        results = self.query.execute(candidate.data)
        if self.operator in ("In", "NotIn"):
            has_value = results is not None and any(self._is_listed(result) for result in results)
            return has_value == (self.operator == "In")
        return bool(results) == (self.operator == "Exists")

    def _is_listed(self, result: Any) -> bool:
        if isinstance(result, bool):
            return str(result).lower() in self.values
        if isinstance(result, int):
            # In KWOK a number of the object is a float, which equals no value, but a computed integer may equal one.
            return str(result) in self.values
        return isinstance(result, str) and result in self.values


class Condition(NamedTuple):
    """A condition in CEL."""

    expression: CelExpression

    def is_met(self, candidate: Candidate) -> bool:
        """Return True if the condition is met. Raises CelFailed if it cannot be evaluated."""
        return self.expression.condition(candidate.document)


class Selector(NamedTuple):
    """The selector of a Stage: requirements, all of which an object must meet."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    requirements: Sequence[Requirement | Condition]

    def selects(self, candidate: Candidate) -> bool:
        """Return True if the Stage selects an object. Raises CelFailed if a condition cannot be evaluated."""
        return (
            self.labels.items() <= candidate.labels.items()
            and self.annotations.items() <= candidate.annotations.items()
            and all(requirement.is_met(candidate) for requirement in self.requirements)
        )


class Weight(NamedTuple):
    """The weight of a Stage: a number, or the result of an expression."""

    value: int
    expression: Expression | None

    def of(self, candidate: Candidate) -> int | None:
        """Return the weight for an object; None if the query has a result that is no weight. Raises CelFailed."""
        if isinstance(self.expression, CelExpression):
            return self.expression.integer(candidate.document)
        results = self.expression.execute(candidate.data) if self.expression is not None else None
        if not results:
            return self.value
        if isinstance(results[0], str):
            return _parsed_int(results[0])
        return int(results[0]) if isinstance(results[0], float) else self.value


def _parsed_int(text: str) -> int | None:
    """Return the integer in a text (``strconv.ParseInt`` with base 0), or None."""
    try:
        return int(text, 8 if _OCTAL.match(text) else 0) if text == text.strip() else None
    except ValueError:
        return None


class Span(NamedTuple):
    """A duration in nanoseconds: a constant, the result of an expression, or None."""

    value: int | None
    expression: Expression | None

    def of(self, candidate: Candidate, now: datetime) -> int | None:
        """Return the nanoseconds for an object. If the query returns a time, they are the time from now until then.

        Raises CelFailed if a CEL expression cannot be evaluated.
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
    """The delay of a Stage."""

    duration: Span
    jitter: Span
    """The end of the interval that begins with `duration`, from which the delay is drawn."""

    def of(self, candidate: Candidate, now: datetime, draw: Draw) -> timedelta:
        """Return the delay for an object. Raises CelFailed if a CEL expression cannot be evaluated."""
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
    """The type of the patch: ``json``, ``merge``, ``strategic``, or empty for the default of the kind."""
    root: str
    """Name of the field whose value the rendered template is; empty for the whole object."""
    subresource: str
    template: Any


class ApplyObject(NamedTuple):
    """Action of a Stage: create or patch another object."""

    type: str
    """The type of the patch of an existing object: ``apply``, ``merge`` or ``strategic``."""
    subresource: str
    template: Any


class DeleteObject(NamedTuple):
    """Action of a Stage: delete the object that the Stage is applied to."""


Action: TypeAlias = SendEvent | ChangeFinalizers | PatchObject | ApplyObject | DeleteObject


class Stage(NamedTuple):
    """A Stage with compiled expressions and templates."""

    name: str
    selector: Selector
    weight: Weight
    delay: Delay
    steps: Sequence[Sequence[Action]]
    """The steps, each with its actions in the order in which they are taken."""


def chosen(stages: Sequence[Stage], candidate: Candidate, draw: Draw) -> Stage | None:
    """Return the Stage that an object moves to next, drawn by weight from those that select it (``Lifecycle.Match``).

    Returns None if no Stage selects the object. Raises CelFailed if a CEL expression cannot be evaluated.
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
    """Return the JSON patch that changes the finalizers of an object; empty if it changes nothing."""
    patch: list[Document] = []
    kept = [] if step.empty else [each for each in present if each not in step.remove]
    if not kept and present and (step.empty or step.remove):
        patch.append({"op": "remove", "path": "/metadata/finalizers"})
    elif kept != list(present):
        places = [place for place, each in enumerate(present) if each in step.remove]
        patch += [{"op": "remove", "path": f"/metadata/finalizers/{place}"} for place in reversed(places)]
    if not step.add:
        return patch
    if not kept:
        return [*patch, {"op": "add", "path": "/metadata/finalizers", "value": list(step.add)}]
    added = [each for each in step.add if each not in present]
    return patch + [{"op": "add", "path": "/metadata/finalizers/-", "value": each} for each in added]
