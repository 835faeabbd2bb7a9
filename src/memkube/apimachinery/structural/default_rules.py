"""Defaults that a schema carries are valid themselves (apiextensions ``schema/defaulting/validation.go``).

Expressions are not evaluated on them here.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, aggregate_message, invalid
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.embedded import CoercionError, coerced, validate_embedded
from memkube.apimachinery.structural.keywords import EMBEDDED, INHERITED
from memkube.apimachinery.structural.pruning import pruned
from memkube.apimachinery.structural.values import validate_value

_Surround: TypeAlias = Callable[[Any], Any]
_TYPE_META: Final = {"kind": "Validation", "apiVersion": "validation/v1"}


class _Inside(NamedTuple):
    """The object that a schema is inside of, and how a value there stands in one."""

    root: Document
    surround: _Surround
    in_metadata: bool


def validate_defaults(schema: Document, path: FieldPath) -> list[FieldError]:
    """The rules that defaults in a structural schema of whole objects break."""
    return _validate({**schema, EMBEDDED: True}, path, None)


def _validate(node: Document, path: FieldPath, inside: _Inside | None) -> list[FieldError]:
    if node.get(EMBEDDED) or inside is None:
        inside = _Inside(node, lambda value: {**_TYPE_META, **value}, False)
    errors: list[FieldError] = []
    if node.get("default") is not None:
        place = path.child("default")
        errors += _validate_metadata(node, inside, place) if inside.in_metadata else _validate_default(node, place)
    surround = inside.surround
    if isinstance(node.get("items"), dict):
        item = inside._replace(surround=lambda value: surround([value]))
        errors += _validate(node["items"], path.child("items"), item)
    for name, inner in node.get("properties", {}).items():
        field = inside._replace(
            surround=_in_field(surround, name),
            in_metadata=inside.in_metadata or bool(node.get(EMBEDDED) and name in INHERITED),
        )
        errors += _validate(inner, path.child("properties").key(name), field)
    return errors


def _in_field(surround: _Surround, name: str) -> _Surround:
    return lambda value: surround({name: value})


def _validate_default(node: Document, path: FieldPath) -> list[FieldError]:
    value, errors = node["default"], []
    if pruned(node, value, "", []) != value:
        errors.append(invalid(path, value, "must not have unknown fields"))
    try:
        coerced(node, value, path, [])
    except CoercionError as error:
        return [*errors, error.error]
    return errors + (validate_embedded(node, value, path) or validate_value(node, value, path, is_default=True))


def _validate_metadata(node: Document, inside: _Inside, path: FieldPath) -> list[FieldError]:
    value, root = node["default"], {**inside.root, EMBEDDED: True}
    whole = inside.surround(value)
    try:
        coerced(root, whole, FieldPath(""), [])
    except CoercionError as error:
        return [invalid(path, value, f"must result in valid metadata: {error.error}")]
    if wrong := validate_embedded(root, whole, FieldPath("")):
        return [invalid(path, value, f"must result in valid metadata: {aggregate_message(wrong)}")]
    return validate_value(node, value, path, is_default=True)
