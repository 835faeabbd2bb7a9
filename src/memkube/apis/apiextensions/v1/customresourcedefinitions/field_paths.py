"""Paths to fields by their schemas: ``.spec.color`` (apiextensions ``schema/cel/validation.go``: ValidFieldPath)."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, required, too_many
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import schema_of_values
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import SelectableField

_SELECTABLE: Final = ("string", "boolean", "integer")
_MOST_SELECTABLE: Final = 8

_tokens = re.compile(r"'(?:\\.|[^'\\])*'|[.\[\]]|[^.\[\]]+|'").findall


class FoundField(NamedTuple):
    """A field, with the first name on its path and its schema, where the path leads to one."""

    path: FieldPath
    root: str
    schema: Document | None


def find_field(schema: Document, written: str, *, brackets: bool = True) -> FoundField:
    """The field that a path leads to. Raises ValueError in the words of the reference."""
    words = iter(_tokens(written))
    found = FoundField(FieldPath(""), "", schema)
    for word in words:
        if word == ".":
            name = next(words, "")
            if not name:
                raise ValueError("unexpected end of JSON path")
            found = _step(found, name)
        elif word == "[":
            if not brackets:
                raise ValueError("array notation is not allowed")
            found = _step(found, _quoted(next(words, "")))
            closing = next(words, "")
            if closing != "]":
                raise ValueError(f"expected ] but got {closing}" if closing else "unexpected end of JSON path")
        else:
            raise ValueError(f"expected [ or . but got: {word}")
    return found


def _quoted(word: str) -> str:
    if not word:
        raise ValueError("unexpected end of JSON path")
    if len(word) < 2 or word[0] != "'" or word[-1] != "'":
        raise ValueError(f"expected single quoted string but got {word}")
    return re.sub(r"\\(.)", r"\1", word[1:-1])


def _step(found: FoundField, name: str) -> FoundField:
    schema = found.schema
    if schema is not None and schema.get("properties"):
        inner = schema["properties"].get(name)
        if inner is not None:
            return FoundField(found.path.child(name), found.root or name, inner)
    elif schema is not None and "additionalProperties" in schema:
        return FoundField(found.path.key(name), found.root or f"[{name}]", schema_of_values(schema))
    raise ValueError("does not refer to a valid field")


def validate_selectable(fields: Sequence[SelectableField], schema: Document, path: FieldPath) -> list[FieldError]:
    """There are not too many, and each leads to a scalar of its own."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, field in enumerate(fields):
        place, written = path.item(index).child("jsonPath"), field.jsonPath
        if not written:
            errors.append(required(place))
            continue
        try:
            found = find_field(schema, written, brackets=False)
        except ValueError as error:
            errors.append(invalid(place, written, f"is an invalid path: {error}"))
            continue
        if found.root == "metadata":
            errors.append(invalid(place, written, "must not point to fields in metadata"))
        if found.schema is None or found.schema.get("type") not in _SELECTABLE:
            why = "must point to a field of type string, boolean or integer."
            allowed = "Enum string fields and strings with formats are allowed."
            errors.append(invalid(place, written, f"{why} {allowed}"))
        if found.path in seen:
            errors.append(duplicate(place, written))
        seen.add(found.path)
    if len(seen) > _MOST_SELECTABLE:
        errors.append(too_many(path, len(seen), _MOST_SELECTABLE))
    return errors
