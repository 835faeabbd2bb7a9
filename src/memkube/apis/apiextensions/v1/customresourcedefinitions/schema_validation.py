"""Validation of the OpenAPI schemas in CustomResourceDefinitions.

Source: apiextensions ``validation.go``, ValidateCustomResourceDefinitionOpenAPISchema.
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported,
    not_supported_string,
    required,
)
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import InternalValue
from memkube.apimachinery.structural.default_rules import validate_defaults
from memkube.apimachinery.structural.field_paths import find_field
from memkube.apimachinery.structural.keywords import (
    EMBEDDED,
    INHERITED,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVES,
    RULES,
    Step,
    steps,
)
from memkube.apimachinery.structural.rules import unsupported_keyword, validate_structural
from memkube.apis.apiextensions.v1.customresourcedefinitions.internal import internal_schema
from memkube.apis.apiextensions.v1.customresourcedefinitions.json_schema import REASONS
from memkube.apis.apiextensions.v1.customresourcedefinitions.rule_validation import (
    RuleContext,
    SchemaRules,
    check_default,
)
from memkube.cel.rules.validator import OBJECT_BUDGET

_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_ROOT_ONLY: Final = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "
    "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields "
    "XValidations"
)
_ALLOWED_AT_ROOT: Final = frozenset(_ROOT_ONLY.split())
_UNSUPPORTED: Final = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
_UNSUPPORTED_IF_EMPTY: Final = ("additionalItems", "dependencies", "$ref")
_MAP_TYPES: Final = ("atomic", "granular")
_line_break = re.compile(r"[\n\r]").search
_INSIDE_METADATA: Final = "inside additionalProperties applying to object metadata"


@dataclass(frozen=True, slots=True)
class _Context:
    """Restrictions on a node of an OpenAPI schema that come from its parent nodes."""

    no_defaults: str | None = None
    """Reason why default values are forbidden in this part of the schema; None if they are allowed."""
    in_metadata: bool = False
    rules: RuleContext | None = None
    """State for checking the CEL rules of this schema node; None if the rules are not checked."""
    uncorrelatable: FieldPath | None = None
    """Path of the outermost enclosing list or map whose old and new elements CEL rules cannot match; None if none.
    """


def validate_schema(schema: Document, has_status: bool, path: FieldPath, *, any_cost: bool = False) -> list[FieldError]:
    """Validate the schema of a custom resource; `path` is the path of its field ``openAPIV3Schema``.

    `has_status` is true if the resource has a status subresource, which restricts the keywords at the schema's root.
    `any_cost` is true for a schema that an update does not change: the cost of a single CEL rule is then not limited.
    """
    errors = _validate_root(schema, path) if has_status else []
    if schema.get("nullable"):
        errors.append(forbidden(path.child("nullable"), "nullable cannot be true at the root"))
    unreadable = unsupported_keyword(schema)
    rules = SchemaRules(any_cost)
    inside = _Context()
    if not unreadable:
        wrong = validate_structural(schema, path) or validate_defaults(schema, path, check_default, OBJECT_BUDGET)
        errors += wrong
        if not wrong:
            inside = _Context(rules=RuleContext(rules, schema))
    errors += _validate_node(schema, path, inside, is_root=True) + rules.errors
    errors = errors or ([invalid(path, "", unreadable)] if unreadable else [])
    return errors + rules.total_errors(path)


def _validate_root(schema: Document, path: FieldPath) -> list[FieldError]:
    """Validate the root of the schema of a custom resource with a status subresource.

    Only some keywords are allowed at this root.
    """
    shown = internal_schema(schema)
    for name, value in shown.fields:
        if name == "Type" and value not in ("", "object"):
            why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
            return [invalid(path.child("type"), value, why)]
        if value not in (None, "", False) and name not in _ALLOWED_AT_ROOT:
            only = f"only [{_ROOT_ONLY}] fields are allowed at the root of the schema"
            return [invalid(path, InternalValue(shown), f"{only} if the status subresource is enabled")]
    return []


def _validate_node(node: Document, path: FieldPath, inside: _Context, *, is_root: bool = False) -> list[FieldError]:
    errors = _validate_keywords(node, path, inside)
    if node.get("uniqueItems"):
        why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        errors.append(forbidden(path.child("uniqueItems"), why))
    if node.get("additionalProperties") not in (None, True) and node.get("properties"):
        why = "additionalProperties and properties are mutual exclusive"
        errors.append(forbidden(path.child("additionalProperties"), why))
    for step in steps(node):
        if step.keyword in ("patternProperties", "additionalItems"):
            continue
        step_path = path.child(step.keyword)
        if isinstance(step.key_or_index, str):
            step_path = step_path.key(step.key_or_index)
        elif step.key_or_index is not None:
            step_path = step_path.item(step.key_or_index)
        errors += _validate_node(step.node, step_path, _below(node, step, inside, path, is_root))
    errors += _validate_merging(node, path)
    errors += _validate_keys(node, path)
    for index, rule in enumerate(node.get(RULES, ())):
        errors += _validate_rule(node, rule, path.child(RULES).item(index))
    if node.get(RULES) and not errors and inside.rules is not None:
        inside.rules.check(path, inside.uncorrelatable)
    return errors


def _below(node: Document, step: Step, inside: _Context, path: FieldPath, is_root: bool) -> _Context:
    keyword = step.keyword
    rules = None if inside.rules is None else inside.rules.below(step)
    lost = (keyword == "items" and node.get(LIST_TYPE) != "map") or (
        keyword == "properties" and node.get(MAP_TYPE, "granular") not in _MAP_TYPES
    )
    uncorrelatable = inside.uncorrelatable or (path if lost else None)
    below = replace(inside, rules=rules, uncorrelatable=uncorrelatable)
    if keyword == "additionalProperties" and inside.in_metadata:
        return replace(below, no_defaults=_INSIDE_METADATA)
    if keyword == "properties" and (is_root or node.get(EMBEDDED)) and step.key_or_index in INHERITED:
        return replace(
            below, no_defaults=f"in top-level {step.key_or_index}" if is_root else inside.no_defaults, in_metadata=True
        )
    return below


def _validate_keywords(node: Document, path: FieldPath, inside: _Context) -> list[FieldError]:
    errors: list[FieldError] = []
    written = node.get("type")
    if written and written not in _TYPES:
        errors.append(not_supported_string(path.child("type"), written, _TYPES))
    if node.get("default") is not None and inside.no_defaults is not None:
        errors.append(forbidden(path.child("default"), f"must not be set {inside.no_defaults}"))
    said = (k for k in _UNSUPPORTED if node.get(k) or (k in _UNSUPPORTED_IF_EMPTY and node.get(k) is not None))
    errors += [forbidden(path.child(keyword), f"{keyword} is not supported") for keyword in said]
    if written == "null":
        why = "type cannot be set to null, use nullable as an alternative"
        errors.append(forbidden(path.child("type"), why))
    if isinstance(node.get("items"), list):
        errors.append(forbidden(path.child("items"), "items must be a schema object and not an array"))
    if inside.in_metadata and node.get(EMBEDDED):
        errors.append(forbidden(path.child(EMBEDDED), "must not be used inside of resource meta"))
    return errors


def _wrong_type(node: Document, wanted: str, keyword: str, path: FieldPath) -> list[FieldError]:
    written, why = node.get("type", ""), f"must be {wanted} if {keyword} is specified"
    if written == wanted:
        return []
    return [invalid(path.child("type"), written, why) if written else required(path.child("type"), why)]


def _validate_merging(node: Document, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if node.get(PRESERVES) is False:
        errors.append(invalid(path.child(PRESERVES), False, "must be true or undefined"))
    map_type, list_type = node.get(MAP_TYPE), node.get(LIST_TYPE)
    if map_type is not None:
        errors += _wrong_type(node, "object", MAP_TYPE, path)
        if map_type not in _MAP_TYPES:
            errors.append(not_supported_string(path.child(MAP_TYPE), map_type, _MAP_TYPES))
    if list_type is None:
        return errors
    wrong = _wrong_type(node, "array", LIST_TYPE, path)
    errors += wrong
    items = node.get("items")
    if not wrong and list_type == "set" and isinstance(items, dict):
        why = "must be atomic as item of a list with x-kubernetes-list-type=set"
        items_path = path.child("items")
        if items.get("type") == "array" and items.get(LIST_TYPE, "atomic") != "atomic":
            errors.append(invalid(items_path.child(LIST_TYPE), items.get(LIST_TYPE), why))
        if items.get("type") == "object" and items.get(MAP_TYPE) != "atomic":
            errors.append(invalid(items_path.child(MAP_TYPE), items.get(LIST_TYPE), why))
    if list_type not in ("atomic", "set", "map"):
        errors.append(not_supported_string(path.child(LIST_TYPE), list_type, ("atomic", "set", "map")))
    return errors


def _validate_keys(node: Document, path: FieldPath) -> list[FieldError]:
    keys, list_type, items = node.get(LIST_KEYS, []), node.get(LIST_TYPE), node.get("items")
    errors: list[FieldError] = []
    if keys and list_type != "map":
        why, type_path = f"must be map if {LIST_KEYS} is non-empty", path.child(LIST_TYPE)
        errors.append(required(type_path, why) if list_type is None else invalid(type_path, list_type, why))
    if list_type == "map":
        errors += _validate_map_items(keys, items, path)
    if not isinstance(items, dict) or list_type not in ("set", "map"):
        return errors
    items_path = path.child("items")
    if items.get("nullable"):
        errors.append(forbidden(items_path.child("nullable"), f"cannot be nullable when {LIST_TYPE} is {list_type}"))
    for key in keys if list_type == "map" else ():
        described = items.get("properties", {}).get(key)
        if described is None:
            continue
        field, why = items_path.child("properties").key(key), f"this property is in {LIST_KEYS}, so it"
        if key not in items.get("required", ()) and described.get("default") is None:
            errors.append(required(field.child("default"), f"{why} must have a default or be a required property"))
        if described.get("nullable"):
            errors.append(forbidden(field.child("nullable"), f"{why} cannot be nullable"))
    return errors


def _validate_map_items(keys: list[str], items: Any, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if not keys:
        errors.append(required(path.child(LIST_KEYS), f"must not be empty if {LIST_TYPE} is map"))
    items_path = path.child("items")
    if items is None:
        return [*errors, required(items_path, f"must have a schema if {LIST_TYPE} is map")]
    if not isinstance(items, dict):
        shown = [internal_schema(item) for item in items]
        why = f"must only have a single schema if {LIST_TYPE} is map"
        return [*errors, invalid(items_path, InternalValue({"Schema": None, "JSONSchemas": shown}), why)]
    if items.get("type") != "object":
        why = f"must be object if parent array's {LIST_TYPE} is map"
        return [*errors, invalid(items_path.child("type"), items.get("type", ""), why)]
    for index, key in enumerate(keys):
        described = items.get("properties", {}).get(key)
        if described is None:
            errors.append(invalid(path.child(LIST_KEYS), keys, "entries must all be names of item properties"))
        elif described.get("type") in ("array", "object"):
            why = f"must be a scalar type if parent array's {LIST_TYPE} is map"
            errors.append(invalid(items_path.child("properties").key(key).child("type"), items["type"], why))
        if key in keys[:index]:
            errors.append(invalid(path.child(LIST_KEYS), keys, "must not contain duplicate entries"))
    return errors


def _validate_rule(node: Document, rule: Document, path: FieldPath) -> list[FieldError]:
    """Validate a CEL rule of the schema `node` without compiling it.

    The rule must have an expression, a valid message and reason, and a field path that leads to a field of the schema.
    """
    expression, message = rule.get("rule", ""), rule.get("message", "")
    errors: list[FieldError] = []
    if not expression.strip():
        errors.append(required(path.child("rule"), "rule is not specified"))
    elif message and not message.strip():
        errors.append(invalid(path.child("message"), message, "must be non-empty if specified"))
    elif _line_break(message.strip()):
        errors.append(invalid(path.child("message"), message, "must not contain line breaks"))
    elif _line_break(expression.strip()) and not message.strip():
        why = "message must be specified if rule contains line breaks"
        errors.append(required(path.child("message"), why))
    made = rule.get("messageExpression", "")
    if made and not made.strip():
        why = "messageExpression must be non-empty if specified"
        errors.append(required(path.child("messageExpression"), why))
    if rule.get("reason") is not None and rule["reason"] not in REASONS:
        errors.append(not_supported(path.child("reason"), rule["reason"], REASONS))
    field = rule.get("fieldPath", "")
    if field and not field.strip():
        errors.append(invalid(path.child("fieldPath"), field, "must be non-empty if specified"))
    if _line_break(field):
        errors.append(invalid(path.child("fieldPath"), field, "must not contain line breaks"))
    if field and not unsupported_keyword(node):
        try:
            find_field(node, field)
        except ValueError:
            errors.append(invalid(path.child("fieldPath"), field, "must be a valid path"))
    return errors
