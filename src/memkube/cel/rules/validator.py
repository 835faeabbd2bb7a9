"""Validation of objects by the CEL rules in their schema (apiextensions ``schema/cel/validation.go``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    OmittedValue,
    duplicate,
    forbidden,
    invalid,
    required,
)
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.structural.correlation import Correlation
from memkube.apimachinery.structural.keywords import LIST_KEYS, LIST_TYPE
from memkube.apimachinery.structural.results import NO_FIELD
from memkube.cel.errors import BudgetExhausted, CostLimitExceeded, EvaluationError
from memkube.cel.program import PER_CALL_LIMIT, Budget
from memkube.cel.rules.nodes import Rule, RuleNode
from memkube.cel.values import NONE, Optional, Value

OBJECT_BUDGET: Final = 10_000_000
"""Maximum total cost of evaluating all validation rules for one object."""
_ROOT: Final = FieldPath("")
_UNDECLARED: Final = "rule compiler initialization error: failed to convert to declType for CEL validation rules"
_LONGEST_MESSAGE: Final = 5 * 1024
_NO_MORE: Final = "no further validation rules will be run"
_OUT_OF_BUDGET: Final = f"running out of cost budget, {_NO_MORE}"
_TOO_EXPENSIVE: Final = f"{_NO_MORE} due to call cost exceeds limit for"
_NO_OVERLOAD: Final = "call arguments did not match a supported operator, function or macro signature for rule"
_SCALARS: Final = (bool, int, float, str)


@dataclass(slots=True)
class Outcome:
    """Result of evaluating rules. `exhausted` is true if the cost budget ran out before all rules were evaluated."""

    errors: list[FieldError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Error messages about values that the update did not change (ratcheting)."""
    remaining: int = 0
    exhausted: bool = False


class _Stopped(Exception):
    """Raised to stop validation, so that no more rules are evaluated."""


@dataclass(frozen=True, slots=True)
class _Ratchet:
    """Determines whether an update changed a value: errors in unchanged values become warnings (ratcheting).

    `current` pairs the value with its old value; it is None if the value has no old value. `nearest` pairs the closest
    ancestor of the value that has an old value with that old value. It is used if `current` is None.
    """

    current: Correlation | None = None
    nearest: Correlation | None = None

    def field(self, name: str) -> _Ratchet:
        if self.current is None:
            return self
        # The old and the new object may have different API versions, so apiVersion and kind are not compared.
        if self.nearest is None and name in ("apiVersion", "kind"):
            return _Ratchet()
        return _Ratchet(self.current.field(name), self.current)

    def item(self, index: int) -> _Ratchet:
        return self if self.current is None else _Ratchet(self.current.item(index), self.current)

    @property
    def unchanged(self) -> bool:
        known = self.nearest if self.current is None else self.current
        return known is not None and known.unchanged


_NEW: Final = _Ratchet()


def validate_rules(
    node: RuleNode,
    value: Any,
    old: Any = None,
    *,
    path: FieldPath = _ROOT,
    correlation: Correlation | None = None,
    budget: int = OBJECT_BUDGET,
) -> Outcome:
    """Validate a value by the CEL rules in its schema. The value must already match the rest of the schema.

    `old` is the value before the update. `correlation` pairs both; with it, errors in values that the update does not
    change become warnings (ratcheting). `path` is the value's field path for errors. `budget` is the maximum cost of
    all evaluations together.
    """
    walk = _Walk(budget)
    try:
        walk.visit(node, value, old, path, _NEW if correlation is None else _Ratchet(correlation))
    except _Stopped:
        walk.outcome.remaining = -1
    else:
        walk.outcome.remaining = walk.budget.remaining
    return walk.outcome


class _Variables(dict[str, Value]):
    """The CEL variables ``self`` and ``oldSelf``, converted from JSON data on first use."""

    __slots__ = ("_has_old", "_node", "_old", "_optional", "_value")

    def __init__(self, node: RuleNode, value: Any, old: Any, *, optional: bool, has_old: bool) -> None:
        self._node = node
        self._value = value
        self._old = old
        self._optional = optional
        self._has_old = has_old

    def __missing__(self, name: str) -> Value:
        if name == "self":
            made = self._node.shape.value(self._value)
        elif name == "oldSelf" and self._has_old:
            made = NONE if self._old is None else self._node.shape.value(self._old)
            if self._optional and self._old is not None:
                made = Optional(made)
        else:
            raise KeyError(name)
        self[name] = made
        return made


class _Walk:
    def __init__(self, budget: int) -> None:
        self.outcome = Outcome()
        self.budget = Budget(budget)

    def visit(self, node: RuleNode, value: Any, old: Any, path: FieldPath, ratchet: _Ratchet) -> None:
        if value is None:
            return
        if node.undeclared:
            self._fail(node, path, _UNDECLARED)
        if node.rules:
            self._check(node, value, old, path, ratchet)
        if isinstance(value, dict):
            self._visit_fields(node, value, old if isinstance(old, dict) else {}, path, ratchet)
        elif isinstance(value, list) and node.items is not None:
            before = _OldItems(node, old if isinstance(old, list) else [])
            for index, item in enumerate(value):
                self.visit(node.items, item, before.of(item), path.item(index), ratchet.item(index))

    def _visit_fields(
        self, node: RuleNode, value: dict[str, Any], old: dict[str, Any], path: FieldPath, ratchet: _Ratchet
    ) -> None:
        if node.values is not None:
            for name, item in value.items():
                self.visit(node.values, item, old.get(name), path.key(name), ratchet.field(name))
        for name, inner in node.properties.items():
            if name in value:
                self.visit(inner, value[name], old.get(name), path.child(name), ratchet.field(name))

    def _check(self, node: RuleNode, value: Any, old: Any, path: FieldPath, ratchet: _Ratchet) -> None:
        if self.budget.remaining <= 0:
            self._run_out(node, path)
        plain = _Variables(node, value, old, optional=False, has_old=node.transitional and old is not None)
        for rule in node.rules:
            variables = plain
            if rule.is_optional:
                variables = _Variables(node, value, old, optional=True, has_old=node.transitional)
            elif old is None and rule.compiled.uses_old_self:
                continue
            program = rule.compiled.rule.program
            if program is None:
                self._fail_to_compile(rule, node, path)
                continue
            try:
                if program.evaluate(variables, self.budget, min(PER_CALL_LIMIT, self.budget.remaining)) is True:
                    continue
            except (BudgetExhausted, EvaluationError) as error:
                self._report(error, rule, node, path)
                continue
            fault, stops = self._error(rule, node, value, path, plain)
            if not rule.compiled.uses_old_self and ratchet.unchanged:
                self.outcome.warnings.append(str(fault))
            else:
                self.outcome.errors.append(fault)
            if stops:
                raise _Stopped

    def _fail_to_compile(self, rule: Rule, node: RuleNode, path: FieldPath) -> None:
        if rule.compiled.rule.error:
            self._fail(node, path, f"rule compile error: {rule.compiled.rule.error}")

    def _run_out(self, node: RuleNode, path: FieldPath) -> None:
        self.outcome.exhausted = True
        self._fail(node, path, f"validation failed due to {_OUT_OF_BUDGET}")
        raise _Stopped

    def _fail(self, node: RuleNode, path: FieldPath, detail: str) -> None:
        self.outcome.errors.append(invalid(path or NO_FIELD, node.schema.get("type", ""), detail))

    def _report(self, error: Exception, rule: Rule, node: RuleNode, path: FieldPath) -> None:
        """Record the error of a rule whose evaluation failed. Raises _Stopped if no further rule may be evaluated."""
        if isinstance(error, BudgetExhausted):
            self._run_out(node, path)
        if isinstance(error, CostLimitExceeded):
            self.outcome.exhausted = True
            self._fail(node, path, f"'{error}': {_TOO_EXPENSIVE} rule: {rule.text}")
            raise _Stopped
        if str(error).startswith("no such overload"):
            self._fail(node, path, f"'{error}': {_NO_OVERLOAD}: {rule.text}")
        else:
            self._fail(node, path, f"{error} evaluating rule: {rule.text}")

    def _error(
        self, rule: Rule, node: RuleNode, value: Any, path: FieldPath, variables: _Variables
    ) -> tuple[FieldError, bool]:
        """Return the error for `rule`, which evaluated to false, and True if validation must stop.

        It must stop if the evaluation of the rule's messageExpression exceeds a cost limit. `variables` are the CEL
        variables for this expression.
        """
        error_path = path.child(rule.path) if rule.path else path or NO_FIELD
        kind = node.schema.get("type", "")
        try:
            message = self._message(rule, variables)
        except BudgetExhausted:
            self.outcome.exhausted = True
            return invalid(error_path, kind, f"messageExpression evaluation failed due to {_OUT_OF_BUDGET}"), True
        except CostLimitExceeded:
            self.outcome.exhausted = True
            made = f"messageExpression: {quoted(rule.written['messageExpression'])}"
            return invalid(error_path, kind, f"{_TOO_EXPENSIVE} {made}"), True
        detail = message or (rule.text if rule.written.get("message") else f"failed rule: {rule.text}")
        shown = OmittedValue() if kind in ("object", "array") else value
        return _error_of(rule.written.get("reason"), error_path, shown, detail), False

    def _message(self, rule: Rule, variables: _Variables) -> str:
        """Return the value of the message expression; "" if the rule has none, or the value is not a valid message."""
        made = rule.compiled.message
        if made is None or made.program is None:
            return ""
        try:
            message = made.program.evaluate(variables, self.budget, min(PER_CALL_LIMIT, self.budget.remaining))
        except CostLimitExceeded:
            raise
        except EvaluationError:
            return ""
        message = message.strip() if isinstance(message, str) else ""
        return "" if "\n" in message or len(message.encode()) > _LONGEST_MESSAGE else message


def _error_of(reason: str | None, path: FieldPath, value: Any, detail: str) -> FieldError:
    match reason:
        case "FieldValueForbidden":
            return forbidden(path, detail)
        case "FieldValueRequired":
            return required(path, detail)
        case "FieldValueDuplicate":
            return duplicate(path, value)
    return invalid(path, value, detail)


class _OldItems:
    """Old items of a list with ``list-type=map``, found by their map keys. Items of other lists have no old item."""

    def __init__(self, node: RuleNode, old: Sequence[Any]) -> None:
        is_map = node.schema.get(LIST_TYPE) == "map"
        self._keys: Sequence[str] = node.schema.get(LIST_KEYS, ()) if is_map else ()
        self._items: dict[Any, Any] = {}
        for item in old if self._keys else ():
            key = self._key(item)
            if key is not None:
                self._items.setdefault(key, item)

    def _key(self, item: Any) -> Any:
        if not isinstance(item, dict):
            return None
        values = [item.get(name) for name in self._keys]
        if not all(isinstance(value, _SCALARS) for value in values):
            return None
        return tuple((type(value), value) for value in values)

    def of(self, item: Any) -> Any:
        key = self._key(item) if self._items else None
        return None if key is None else self._items.get(key)
