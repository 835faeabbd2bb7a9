"""Field paths in schemas, such as ``.spec.color`` (apiextensions ``schema/cel/validation.go``: ValidFieldPath)."""

import re
from typing import Final, NamedTuple

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import schema_of_values

_ESCAPED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}

_tokens = re.compile(r"'(?:\\.|[^'\\])*'|[.\[\]]|[^.\[\]]+|'").findall


class FoundField(NamedTuple):
    """The field of a schema to which a field path leads.

    `root` is the first field name in the path. `schema` is the schema of the field, or None if it is unknown.
    """

    path: FieldPath
    root: str
    schema: Document | None


def find_field(schema: Document, written: str, *, brackets: bool = True) -> FoundField:
    """Return the field of a schema to which the path `written`, such as ``.spec.color``, leads.

    If `brackets` is true, the path can contain names in brackets, such as ``['color']``. Raises ValueError with
    Kubernetes' message if the path is malformed or the schema has no such field.
    """
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
    return re.sub(r"\\.", _unescaped, word[1:-1])


def _unescaped(found: re.Match[str]) -> str:
    if found[0][1] not in _ESCAPED:
        raise ValueError(f"invalid string literal: invalid escape char {found[0]}")
    return _ESCAPED[found[0][1]]


def _step(found: FoundField, name: str) -> FoundField:
    schema = found.schema
    if schema is not None and schema.get("properties"):
        inner = schema["properties"].get(name)
        if inner is not None:
            return FoundField(found.path.child(name), found.root or name, inner)
    elif schema is not None and "additionalProperties" in schema:
        return FoundField(found.path.key(name), found.root or f"[{name}]", schema_of_values(schema))
    raise ValueError("does not refer to a valid field")
