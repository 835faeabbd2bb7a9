"""Validation of CEL rules in schemas: they must compile and not exceed the cost limits.

Sources: apiextensions ``cel_validation.go`` for costs, and ``ValidateCustomResourceDefinitionOpenAPISchema`` in
``validation.go`` for all other checks of rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, internal_error, invalid
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import InternalValue
from memkube.apimachinery.structural.keywords import EMBEDDED, RULES, Step
from memkube.apis.apiextensions.v1.customresourcedefinitions.internal import internal_rule
from memkube.cel.costs.ranges import MAX
from memkube.cel.identifiers import escaped
from memkube.cel.rules.compiled import CompiledExpression, CompiledRule, compile_rules, max_values
from memkube.cel.rules.declared_types import DeclaredType, declared_type
from memkube.cel.rules.nodes import rule_node
from memkube.cel.rules.validator import validate_rules

_MOST_OF_RULE: Final = 10_000_000
_MOST_OF_SCHEMA: Final = 100_000_000
_MOST_TOLD: Final = 4
_ADVICE: Final = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and"
_NO_TYPE: Final = "failed to construct type information for x-kubernetes-validations rules"
_NOT_DECLARED: Final = "unable to convert structural schema to CEL declarations"


@dataclass(slots=True)
class SchemaRules:
    """Errors and total cost of all CEL rules of one schema."""

    any_cost: bool = False
    """True to accept rules that exceed the cost limit of a single rule, because an update does not change the schema.
    """
    errors: list[FieldError] = field(default_factory=list)
    _total: int = 0
    _dearest: list[tuple[int, FieldPath]] = field(default_factory=list)

    def observe(self, path: FieldPath, cost: int, name: str) -> None:
        """Add the estimated cost of one expression to the total cost of the schema's rules.

        If the cost exceeds the limit of one rule, and the limit applies to this schema, add an error to `errors`. The
        error has the path `path`, and begins with `name`, such as ``estimated rule cost``.
        """
        if cost > _MOST_OF_RULE and not self.any_cost:
            self.errors.append(forbidden(path, _too_expensive(name, cost, _MOST_OF_RULE)))
        self._total = min(self._total + cost, MAX)
        if cost >= _MOST_OF_SCHEMA // 100:
            self._dearest.append((cost, path))
            self._dearest.sort(key=lambda known: -known[0])
            del self._dearest[_MOST_TOLD:]

    def total_errors(self, path: FieldPath) -> list[FieldError]:
        """Return errors if the total cost of a schema's rules exceeds the limit; otherwise an empty list.

        There is one error for each of the most expensive rules, and one for the whole schema, which is at `path`.
        """
        if self._total <= _MOST_OF_SCHEMA:
            return []
        why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        errors = [forbidden(rule_path, why) for _, rule_path in self._dearest]
        return [*errors, forbidden(path, _too_expensive(name, self._total, _MOST_OF_SCHEMA))]


def _too_expensive(name: str, cost: int, limit: int) -> str:
    times = float(cost) / float(limit)
    written = "more than 100x" if times > 100 else f"{times:.6f}x" if times < 1.5 else f"{times:.1f}x"
    return f"{name} exceeds budget by factor of {written} {_ADVICE} strings are declared)"


@dataclass(frozen=True)
class RuleContext:
    """A schema node and its parent nodes, from which the types and costs of its CEL rules follow."""

    found: SchemaRules
    node: Document
    parent: RuleContext | None = None
    step: Step | None = None
    most: int | None = 1
    """Maximum number of values in one custom resource that this schema node describes; None if unbounded."""

    def below(self, step: Step) -> RuleContext | None:
        """Return the context for checking the CEL rules of the child schema to which `step` leads.

        Returns None if the rules of this schema are not checked. They are checked only in ``items``, ``properties`` and
        ``additionalProperties``, which describe parts of the value. Other child schemas, such as those in ``allOf``,
        describe the same value as this node.
        """
        if step.keyword not in ("items", "properties", "additionalProperties"):
            return None
        held = _max_elements(self.node)
        most = None if self.most is None or held is None else min(self.most * held, MAX)
        return RuleContext(self.found, step.node, self, step, most)

    @cached_property
    def _within(self) -> bool:
        return bool(self.node.get(RULES)) or (self.parent is not None and self.parent._within)

    @cached_property
    def _declared(self) -> DeclaredType | None:
        """Return the CEL type of the values that a schema node describes.

        Returns None if neither the schema node nor a parent node has CEL rules. Raises ValueError if the schema has no
        CEL type.
        """
        if not self._within:
            return None
        outer = None if self.parent is None else self.parent._declared
        if outer is not None and self.step is not None:
            if self.step.keyword != "properties":
                if outer.element is None:
                    raise ValueError("failed to convert to declType for CEL validation rules")
                return outer.element
            inner = (outer.fields or {}).get(escaped(str(self.step.key_or_index)) or "")
            if inner is not None:
                return inner
        made = declared_type(self.node, resource_root=self.parent is None or bool(self.node.get(EMBEDDED)))
        if made is None:
            raise ValueError(f"internal error: {_NO_TYPE}: {_NOT_DECLARED}")
        return made

    def check(self, path: FieldPath, uncorrelatable: FieldPath | None) -> None:
        """Validate the CEL rules of this schema node, and add their errors to the errors of the whole schema.

        `uncorrelatable` is the path of the outermost enclosing list or map whose old and new elements cannot be
        matched; None if there is no such list or map. A rule inside it must not use ``oldSelf``.
        """
        rules = self.node[RULES]
        try:
            declared = self._declared
        except ValueError as error:
            self.found.errors.append(internal_error(path.child(RULES), str(error)))
            return
        assert declared is not None
        count = max_values(declared) if self.most is None else self.most
        for index, (rule, compiled) in enumerate(zip(rules, compile_rules(rules, declared), strict=True)):
            self._check_rule(rule, compiled, count, path.child(RULES).item(index))
            self._check_old(rule, compiled, uncorrelatable, path.child(RULES).item(index))

    def _check_rule(self, rule: Document, compiled: CompiledRule, count: int, path: FieldPath) -> None:
        self._check_expression(rule, compiled.rule, count, path.child("rule"), "estimated rule cost")
        if compiled.message is not None:
            message_path, name = path.child("messageExpression"), "estimated messageExpression cost"
            self._check_expression(rule, compiled.message, 1, message_path, name)

    def _check_expression(
        self, rule: Document, expression: CompiledExpression, count: int, path: FieldPath, name: str
    ) -> None:
        self.found.observe(path, min(expression.max_cost * count, MAX), name)
        if expression.error:
            self.found.errors.append(invalid(path, _shown(rule), expression.error))

    def _check_old(
        self, rule: Document, compiled: CompiledRule, uncorrelatable: FieldPath | None, path: FieldPath
    ) -> None:
        optional = rule.get("optionalOldSelf")
        if compiled.uses_old_self:
            if uncorrelatable is not None:
                why = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
                self.found.errors.append(invalid(path.child("rule"), rule["rule"], why))
        elif optional is not None:
            why = "may not be set if oldSelf is not used in rule"
            self.found.errors.append(invalid(path.child("optionalOldSelf"), optional, why))


def _max_elements(node: Document) -> int | None:
    match node.get("type"):
        case "object" if node.get("additionalProperties") is not None:
            limit = node.get("maxProperties")
        case "array":
            limit = node.get("maxItems")
        case _:
            return 1
    return None if limit is None else max(limit, 0)


def _shown(rule: Document) -> InternalValue:
    return InternalValue(internal_rule(rule))


def check_default(
    node: Document, is_root: bool, value: Any, path: FieldPath, budget: int
) -> tuple[list[FieldError], int]:
    """Validate a default value against the CEL rules of its schema.

    `is_root` is true if the schema `node` describes a whole object. The rules are evaluated first for an update that
    does not change the default value; if this finds no error, they are evaluated for a new object. `budget` limits the
    cost of each evaluation. Returns the errors and the remaining budget.
    """
    rules = rule_node(node, resource_root=is_root)
    if rules is None:
        return [], budget
    kept = validate_rules(rules, value, value, path=path, budget=budget)
    if kept.errors:
        return kept.errors, kept.remaining
    new = validate_rules(rules, value, path=path, budget=budget)
    return new.errors, min(kept.remaining, new.remaining)
