"""Validation of defaults in a schema (apiextensions ``schema/defaulting/validation.go``).

The caller provides the function that evaluates CEL rules.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, aggregate_message, invalid
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.embedded import CoercionError, coerce_metadata, validate_embedded
from memkube.apimachinery.structural.keywords import EMBEDDED, INHERITED
from memkube.apimachinery.structural.pruning import pruned
from memkube.apimachinery.structural.values import validate_value

CheckRules: TypeAlias = Callable[[Document, bool, Any, FieldPath, int], tuple[list[FieldError], int]]
"""Function that evaluates the CEL rules of a schema for a value.

Its arguments are the schema, True if the schema describes a whole object, the value, the value's path and the cost
budget. It returns the errors and the remaining budget.
"""
_Surround: TypeAlias = Callable[[Any], Any]
_TYPE_META: Final = {"kind": "Validation", "apiVersion": "validation/v1"}


class _Inside(NamedTuple):
    """The object that contains a default value: the closest embedded object, or else the whole object.

    `root` is the schema of this object. `surround` is a function that takes a value, and returns an object that has the
    value in the place of the default value. `in_metadata` is true if this place is in the object's kind, apiVersion or
    metadata.
    """

    root: Document
    surround: _Surround
    in_metadata: bool


def validate_defaults(schema: Document, path: FieldPath, check_rules: CheckRules, budget: int) -> list[FieldError]:
    """Validate the default values in the structural schema of a custom kind, and return the errors.

    `path` is the field path of the schema. `check_rules` is the function that evaluates CEL rules for a default value
    (:data:`CheckRules`). `budget` is the maximum cost of all these evaluations together.
    """
    validator = _Validator(check_rules, budget)
    validator.visit({**schema, EMBEDDED: True}, path, None)
    return validator.errors


class _Validator:
    def __init__(self, check_rules: CheckRules, budget: int) -> None:
        self.errors: list[FieldError] = []
        self._check_rules = check_rules
        self._budget = budget

    def visit(self, node: Document, path: FieldPath, inside: _Inside | None) -> None:
        if self._budget < 0:
            return
        if node.get(EMBEDDED) or inside is None:
            inside = _Inside(node, lambda value: {**_TYPE_META, **value}, False)
        if node.get("default") is not None:
            self._validate(node, path.child("default"), inside)
        surround = inside.surround
        if isinstance(node.get("items"), dict):
            item = inside._replace(surround=lambda value: surround([value]))
            self.visit(node["items"], path.child("items"), item)
        for name, inner in node.get("properties", {}).items():
            field = inside._replace(
                surround=_in_field(surround, name),
                in_metadata=inside.in_metadata or bool(node.get(EMBEDDED) and name in INHERITED),
            )
            self.visit(inner, path.child("properties").key(name), field)

    def _validate(self, node: Document, path: FieldPath, inside: _Inside) -> None:
        value, unknown = node["default"], []
        if inside.in_metadata:
            wrong = _metadata_faults(node, inside, path)
        else:
            has_unknown = pruned(node, value, "", []) != value
            value, wrong = _with_embedded(node, path)
            unknown = [invalid(path, value, "must not have unknown fields")] if has_unknown else []
        wrong = wrong or validate_value(node, value, path, is_default=True)
        self.errors += unknown + wrong
        if not wrong:
            found, self._budget = self._check_rules(node, node is inside.root, value, path, self._budget)
            self.errors += found


def _in_field(surround: _Surround, name: str) -> _Surround:
    return lambda value: surround({name: value})


def _with_embedded(node: Document, path: FieldPath) -> tuple[Any, list[FieldError]]:
    """Return the default value with the metadata of embedded objects decoded, and the errors of these objects."""
    try:
        value = coerce_metadata(node, node["default"], path, [])
    except CoercionError as error:
        return node["default"], [error.error]
    return value, validate_embedded(node, value, path)


def _metadata_faults(node: Document, inside: _Inside, path: FieldPath) -> list[FieldError]:
    value, root = node["default"], {**inside.root, EMBEDDED: True}
    whole = inside.surround(value)
    try:
        coerce_metadata(root, whole, FieldPath(""), [])
    except CoercionError as error:
        return [invalid(path, value, f"must result in valid metadata: {error.error}")]
    if wrong := validate_embedded(root, whole, FieldPath("")):
        return [invalid(path, value, f"must result in valid metadata: {aggregate_message(wrong)}")]
    return []
