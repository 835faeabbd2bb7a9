"""The schemas of a custom kind that have validation rules, with these rules compiled.

Source: apiextensions ``schema/cel/validation.go``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.field_paths import find_field
from memkube.apimachinery.structural.keywords import EMBEDDED, RULES, schema_of_items, schema_of_values, schemas_within
from memkube.cel.documents import Shape, shape_of
from memkube.cel.identifiers import escaped
from memkube.cel.rules.compiled import CompiledRule, compile_rules
from memkube.cel.rules.declared_types import DeclaredType, declared_type


@dataclass(frozen=True, slots=True)
class Rule:
    """A validation rule, the same rule compiled, and the path of the field that its errors name.

    The path is "" if the errors name the validated value itself.
    """

    written: Document
    compiled: CompiledRule
    path: str
    is_optional: bool
    """True if ``oldSelf`` is an optional value in the rule (``optionalOldSelf``)."""

    @property
    def text(self) -> str:
        """Text that represents the rule in error messages: its message, otherwise its expression."""
        return str(self.written.get("message") or self.written["rule"]).strip()


@dataclass(frozen=True, slots=True)
class RuleNode:
    """A schema with its validation rules, and the nested schemas that contain rules."""

    schema: Document
    shape: Shape
    rules: Sequence[Rule]
    items: RuleNode | None
    values: RuleNode | None
    properties: Mapping[str, RuleNode]
    undeclared: bool
    """True if the schema has rules for values that expressions cannot read. Every value is then reported as invalid."""
    transitional: bool
    """True if at least one rule uses ``oldSelf``."""


def rule_node(schema: Document, *, resource_root: bool) -> RuleNode | None:
    """Return the validation rules in a structural schema and its nested schemas; None if there are no rules.

    `resource_root` is true if the schema describes a whole object. Raises ApiError (501) if an expression
    is nested too deeply or too large.
    """
    if not any(node.get(RULES) for node in schemas_within(schema)):
        return None
    return _node(schema, declared_type(schema, resource_root=resource_root), resource_root)


def _node(schema: Document, declared: DeclaredType | None, resource_root: bool = False) -> RuleNode | None:
    element = None if declared is None else declared.element
    items, values = schema_of_items(schema), schema_of_values(schema)
    rules = _rules(schema, declared)
    inner = None if items is None else _node(items, element)
    held = None if values is None else _node(values, element)
    properties = _properties(schema, declared)
    undeclared = declared is None and bool(schema.get(RULES))
    if not (rules or inner or held or properties or undeclared):
        return None
    shape = shape_of(schema, resource_root=resource_root)
    transitional = any(rule.compiled.uses_old_self for rule in rules)
    return RuleNode(schema, shape, rules, inner, held, properties, undeclared, transitional)


def _rules(schema: Document, declared: DeclaredType | None) -> list[Rule]:
    written = schema.get(RULES, [])
    if not written or declared is None:
        return []
    compiled = compile_rules(written, declared)
    return [
        Rule(rule, made, _field(schema, rule, made), bool(rule.get("optionalOldSelf")))
        for rule, made in zip(written, compiled, strict=True)
    ]


def _field(schema: Document, rule: Document, compiled: CompiledRule) -> str:
    # As in Kubernetes, do not check the fieldPath of a rule that does not compile.
    if compiled.rule.error or (compiled.message is not None and compiled.message.error):
        return ""
    try:
        return find_field(schema, rule.get("fieldPath", "")).path
    except ValueError:
        return ""


def _properties(schema: Document, declared: DeclaredType | None) -> dict[str, RuleNode]:
    found = {}
    for name, inner in schema.get("properties", {}).items():
        identifier = escaped(name)
        if identifier is None:
            kind = declared_type(inner, resource_root=bool(inner.get(EMBEDDED)))
        else:
            kind = None if declared is None else (declared.fields or {}).get(identifier)
        node = None if kind is None else _node(inner, kind)
        if node is not None:
            found[name] = node
    return found
