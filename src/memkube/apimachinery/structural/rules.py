"""Validation of the structural schemas of CustomResourceDefinitions (apiextensions ``apiserver/schema``).

Sources: ``validation.go``, ``complete.go`` and, for unsupported keywords, ``convert.go``.
"""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required
from memkube.apimachinery.go_regexp import compile_pattern
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import (
    EMBEDDED,
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVES,
    RULES,
    schema_of_items,
    schemas_within,
)

_INT_OR_STRING_FORMS: Final = [{"type": "integer"}, {"type": "string"}]
_UNSUPPORTED: Final = {
    "id": "id",
    "$schema": "schema",
    "$ref": "$ref",
    "patternProperties": "patternProperties",
    "dependencies": "dependencies",
    "additionalItems": "additionalItems",
    "definitions": "definitions",
}
_SUSPECT: Final = frozenset({*_UNSUPPORTED, "items", PRESERVES})
_NESTED: Final = (
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    (PRESERVES, "must be false to be structural"),
    (EMBEDDED, "must be false to be structural"),
    (INT_OR_STRING, "must be false to be structural"),
    (LIST_KEYS, "must be empty to be structural"),
    (LIST_TYPE, "must be undefined to be structural"),
    (MAP_TYPE, "must be undefined to be structural"),
    (RULES, "must be empty to be structural"),
)
"""Keywords that are not allowed inside allOf, anyOf, oneOf and not, each with the error's explanation."""
_WHERE: Final = {"root": "at the root", "item": "for specified array items", "field": "for specified object fields"}
_METADATA_ONLY: Final = (
    "must not specify anything other than name and generateName, but metadata is implicitly specified"
)


def unsupported_keyword(schema: Document) -> str:
    """Return the error message for an unsupported keyword in a schema; "" if all keywords are supported."""
    for node in schemas_within(schema):
        if _SUSPECT.isdisjoint(node):
            continue
        for keyword, shown in _UNSUPPORTED.items():
            if node.get(keyword) or (keyword == "additionalItems" and node.get(keyword) is not None):
                return f"OpenAPIV3Schema '{shown}' is not supported"
        if isinstance(node.get("items"), list):
            return "OpenAPIV3Schema 'items' must be a schema, but is an array"
        if node.get(PRESERVES) is False:
            return f"internal error: '{PRESERVES}' must be true or undefined"
    return ""


def validate_structural(schema: Document, path: FieldPath) -> list[FieldError]:
    """Validate that a schema of whole objects is structural. Errors are sorted by message."""
    errors = _validate_node(schema, "root", path) + _validate_complete(schema, schema, path, path)
    return sorted(errors, key=str)


def _validate_node(node: Document, level: str, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    items = schema_of_items(node)
    if node.get("type") == "array" and items is None:
        errors.append(required(path.child("items"), "must be specified"))
    if items is not None:
        errors += _validate_node(items, "item", path.child("items"))
    for name, inner in node.get("properties", {}).items():
        errors += _validate_node(inner, "field", path.child("properties").key(name))
    values = node.get("additionalProperties")
    if values is not None and level == "root":
        errors.append(forbidden(path.child("additionalProperties"), "must not be used at the root"))
    if isinstance(values, dict):
        errors += _validate_node(values, "field", path.child("additionalProperties"))
    if node.get(INT_OR_STRING):
        why = f"must be false if {INT_OR_STRING} is true"
        errors += [invalid(path.child(name), True, why) for name in (PRESERVES, EMBEDDED) if node.get(name)]
    any_of, all_of = node.get("anyOf"), node.get("allOf", ())
    skips = (any_of == _INT_OR_STRING_FORMS, bool(all_of) and all_of[0].get("anyOf") == _INT_OR_STRING_FORMS)
    errors += _validate_values(node, skips, path)
    errors += _validate_type(node, level, path)
    return errors + _validate_metadata(node, level, path)


def _validate_type(node: Document, level: str, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    written = node.get("type", "")
    if node.get(EMBEDDED) and written != "object":
        why = f"must be object if {EMBEDDED} is true"
        errors.append(invalid(path.child("type"), written, why) if written else required(path.child("type"), why))
    elif not written and not node.get(INT_OR_STRING) and not node.get(PRESERVES):
        errors.append(required(path.child("type"), f"must not be empty {_WHERE[level]}"))
    if node.get(EMBEDDED) and node.get("additionalProperties") is not None:
        errors.append(forbidden(path.child("additionalProperties"), f"must not be used if {EMBEDDED} is set"))
    if level == "root" and written and written != "object":
        errors.append(invalid(path.child("type"), written, "must be object at the root"))
    return errors


def _validate_metadata(node: Document, level: str, path: FieldPath) -> list[FieldError]:
    """Validate the declarations of kind, apiVersion and metadata in the schema of a whole or an embedded object.

    `level` is ``root`` for the schema of a whole object, ``field`` for that of a property or map value, and ``item``
    for that of a list item.
    """
    errors: list[FieldError] = []
    described = node.get("properties", {})
    is_object = level == "root" or bool(node.get(EMBEDDED))
    for name in ("kind", "apiVersion"):
        if is_object and name in described and described[name].get("type") != "string":
            type_path = path.child("properties").key(name).child("type")
            errors.append(invalid(type_path, described[name].get("type", ""), "must be string"))
    metadata = described.get("metadata")
    if metadata is not None:
        metadata_path = path.child("properties").key("metadata")
        if is_object and metadata.get("type") != "object":
            errors.append(invalid(metadata_path.child("type"), metadata.get("type", ""), "must be object"))
        if level == "root" and not _says_names_alone(metadata):
            errors.append(forbidden(metadata_path, _METADATA_ONLY))
    if node.get(EMBEDDED) and not node.get(PRESERVES) and not described:
        why = f"must not be empty if {EMBEDDED} is true without {PRESERVES}"
        errors.append(required(path.child("properties"), why))
    return errors


def _says_names_alone(metadata: Document) -> bool:
    names = set(metadata.get("properties", {}))
    said = {keyword for keyword in metadata if keyword not in ("type", "default")}
    return said <= {"properties"} and names <= {"name", "generateName"}


def _validate_values(node: Document, skips: tuple[bool, bool], path: FieldPath) -> list[FieldError]:
    """Validate the keywords of a schema that restrict values: allOf, anyOf, oneOf, not and pattern.

    `skips` has two flags. If the first is true, anyOf is not validated; if the second is true, anyOf in the first item
    of allOf is not validated. They are true for an int-or-string, whose anyOf only lists the types integer and string.
    """
    errors: list[FieldError] = []
    if not skips[0]:
        for index, inner in enumerate(node.get("anyOf", ())):
            errors += _validate_nested(inner, path.child("anyOf").item(index))
    for index, inner in enumerate(node.get("allOf", ())):
        errors += _validate_nested(inner, path.child("allOf").item(index), skips_any_of=skips[1] and index == 0)
    for index, inner in enumerate(node.get("oneOf", ())):
        errors += _validate_nested(inner, path.child("oneOf").item(index))
    if "not" in node:
        errors += _validate_nested(node["not"], path.child("not"))
    if node.get("pattern"):
        try:
            compile_pattern(node["pattern"])
        except ValueError as error:
            why = f"must be a valid regular expression, but isn't: {error}"
            errors.append(invalid(path.child("pattern"), node["pattern"], why))
    return errors


def _validate_nested(node: Document, path: FieldPath, *, skips_any_of: bool = False) -> list[FieldError]:
    errors = _validate_values(node, (skips_any_of, False), path)
    items = schema_of_items(node)
    if items is not None:
        errors += _validate_nested(items, path.child("items"))
    described = node.get("properties", {})
    for name, inner in described.items():
        errors += _validate_nested(inner, path.child("properties").key(name))
    for keyword, why in _NESTED:
        # Unlike other values, ``additionalProperties: false`` is no error: inside allOf, anyOf, oneOf and not,
        # Kubernetes ignores it.
        if node.get(keyword) or (keyword in ("default", "additionalProperties") and node.get(keyword) is not None):
            if keyword == "additionalProperties" and node[keyword] is False:
                continue
            errors.append(forbidden(path.child(keyword), why))
    if "metadata" in described:
        metadata_path = path.child("properties").key("metadata")
        errors.append(forbidden(metadata_path, "must not be specified in a nested context"))
    return errors


def _validate_complete(
    values: Document, node: Document | None, path: FieldPath, values_path: FieldPath
) -> list[FieldError]:
    """Validate that the schema `node` declares the fields that occur in allOf, anyOf, oneOf and not of `values`.

    `values` is `node` itself, or a schema in one of these keywords that describes the same value. `path` and
    `values_path` are the field paths of the two schemas.
    """
    errors: list[FieldError] = []
    nested = [(values_path.child("not"), values["not"])] if "not" in values else []
    for keyword in ("allOf", "anyOf", "oneOf"):
        nested += [(values_path.child(keyword).item(i), inner) for i, inner in enumerate(values.get(keyword, ()))]
    for inner_path, inner in nested:
        errors += _validate_nested_complete(inner, node, path, inner_path)
    return errors


def _validate_nested_complete(
    values: Document, node: Document | None, path: FieldPath, values_path: FieldPath
) -> list[FieldError]:
    if node is None:
        return [required(path, f"because it is defined in {values_path}")]
    errors = _validate_complete(values, node, path, values_path)
    items = schema_of_items(values)
    if items is not None:
        errors += _validate_nested_complete(
            items, schema_of_items(node), path.child("items"), values_path.child("items")
        )
    for name, inner in values.get("properties", {}).items():
        described = node.get("properties", {}).get(name)
        inner_path, inner_values_path = path.child("properties").key(name), values_path.child("properties").key(name)
        errors += _validate_nested_complete(inner, described, inner_path, inner_values_path)
    return errors
