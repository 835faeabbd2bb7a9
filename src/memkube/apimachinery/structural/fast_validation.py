"""Fast validation, which accepts most valid values without detailed checks.

A schema is compiled once into a function. If the function returns True, the value is valid, has no unknown fields, and
has no number that Kubernetes would write in another form (such as ``1.0``, which becomes ``1``). If it returns False,
the value may still be valid: callers then run the complete checks, in the modules `pruning`, `embedded`, `values`,
`list_types` and `numbers`.
"""

import sys
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final, TypeAlias

from memkube.apimachinery.go_regexp import compile_pattern
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.formats import has_format, is_known
from memkube.apimachinery.structural.keywords import (
    EMBEDDED,
    INHERITED,
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVES,
    RULES,
)

IsValid: TypeAlias = Callable[[Any], bool]
_UNDERSTOOD: Final = frozenset(
    {
        "additionalProperties", "anyOf", "default", "description", "enum", "example", "exclusiveMaximum",
        "exclusiveMinimum", "externalDocs", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
        "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern", "properties", "required", "title",
        "type", INT_OR_STRING, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVES, RULES,
    }
)  # fmt: skip
_INT_OR_STRING_FORMS: Final = [{"type": "integer"}, {"type": "string"}]
_INT64: Final = 2**63
_ENDS: Final = {("integer", ""): _INT64, ("integer", "int32"): 2**31, ("integer", "int64"): _INT64} | {
    ("number", form): _INT64 for form in ("", "double")
}
_SCALARS: Final = ("boolean", "integer", "number", "string")


def _never(value: Any) -> bool:
    return False


def compile_fast_validation(schema: Document) -> IsValid:
    """Compile a structural schema into a function that returns True for most valid objects, and else False.

    The function takes whole objects, or objects without metadata. It caches results by object identity, because a write
    validates the same fields several times. Callers must therefore not modify validated fields in place, except
    metadata, kind and apiVersion.
    """
    is_understood = set(schema) <= _UNDERSTOOD and "anyOf" not in schema and not schema.get("enum")
    return _PlainObjects(schema) if is_understood else _never


class _PlainObjects:
    """A fast validation function that remembers the last two valid objects, and does not check their fields again.

    Two are enough, because a write validates the same two objects several times: the old and the new revision.
    """

    def __init__(self, schema: Document) -> None:
        properties = schema.get("properties", {})
        own = {name: _fits(inner) for name, inner in properties.items() if name not in INHERITED}
        # Unknown fields in metadata, kind and apiVersion are allowed, because other code validates them.
        inherited = {
            name: _fits({**properties[name], PRESERVES: True}) if name in properties else _always for name in INHERITED
        }
        self._is_right = _with_fields(schema, {**own, **inherited})
        self._is_right_around = _with_fields(schema, {**dict.fromkeys(own, _always), **inherited}, _always)
        self._last: Document = {}
        self._last_but_one: Document = {}

    def __call__(self, value: Any) -> bool:
        if value.__class__ is dict and (_holds(value, self._last) or _holds(value, self._last_but_one)):
            return self._is_right_around(value)
        if not self._is_right(value):
            return False
        self._last_but_one = self._last
        self._last = {name: field for name, field in value.items() if name not in INHERITED}
        return True


def _holds(value: Document, content: Document) -> bool:
    """True if `value` has the same fields as `content`, with identical Python objects as values.

    The fields kind, apiVersion and metadata are ignored.
    """
    left = len(content)
    for name, field in value.items():
        if name not in INHERITED:
            if content.get(name, content) is not field:
                return False
            left -= 1
    return not left


def _always(value: Any) -> bool:
    return True


def _is_written(value: Any) -> bool:
    """True if Kubernetes writes all numbers in the JSON data unchanged.

    Kubernetes changes whole numbers that are floats, such as ``1.0``, and integers beyond int64.
    """
    kind = value.__class__
    if kind is dict:
        return all(map(_is_written, value.values()))
    if kind is list:
        return all(map(_is_written, value))
    if kind is float:
        return isfinite(value) and not value.is_integer()
    return kind is not int or -_INT64 <= value < _INT64


def _fits(node: Document) -> IsValid:
    if not set(node) <= _UNDERSTOOD or node.get("anyOf", _INT_OR_STRING_FORMS) != _INT_OR_STRING_FORMS:
        return _never
    if node.get("enum") and not (node.get("type") == "string" and all(isinstance(v, str) for v in node["enum"])):
        return _never
    if node.get(INT_OR_STRING):
        return _int_or_string(node)
    if "anyOf" in node:
        return _never
    match node.get("type"):
        case "string":
            return _string(node)
        case "integer" | "number":
            return _number(node)
        case "boolean":
            return lambda value: value is True or value is False
        case "array":
            return _list(node)
        case "object":
            return _object(node)
    return _never


def _int_or_string(node: Document) -> IsValid:
    if node.get("format") or "minimum" in node or "maximum" in node:
        return _never
    text = _string(node)

    def fits(value: Any) -> bool:
        return text(value) if value.__class__ is str else value.__class__ is int and -_INT64 <= value < _INT64

    return fits


def _string(node: Document) -> IsValid:
    least, most = node.get("minLength") or 0, node.get("maxLength")
    pattern, form, values = node.get("pattern"), node.get("format"), frozenset(node.get("enum", ()))
    if form and not is_known(form, "string"):
        return _never
    search = compile_pattern(pattern).search if pattern else None
    if not (pattern or form or values):
        end = sys.maxsize if most is None else most
        return lambda value: value.__class__ is str and least <= len(value) <= end

    def fits(value: Any) -> bool:
        if value.__class__ is not str or len(value) < least or (most is not None and len(value) > most):
            return False
        if (values and value not in values) or (form and not has_format(value, form)):
            return False
        return search is None or search(value) is not None

    return fits


def _number(node: Document) -> IsValid:
    is_whole, end = node["type"] == "integer", _ENDS.get((node["type"], node.get("format", "")))
    least, most = node.get("minimum"), node.get("maximum")
    odd = any(not isinstance(limit, int) or abs(limit) >= _INT64 for limit in (least, most) if limit is not None)
    if odd or end is None or node.get("exclusiveMinimum") or node.get("exclusiveMaximum"):
        return _never
    low, high = -end if least is None else max(least, -end), end - 1 if most is None else min(most, end - 1)

    def fits(value: Any) -> bool:
        kind = value.__class__
        return (kind is int or (kind is float and not is_whole and not value.is_integer())) and low <= value <= high

    return fits


def _list(node: Document) -> IsValid:
    items = node.get("items")
    if not isinstance(items, dict):
        return _never
    item_fits, kind = _fits(items), node.get(LIST_TYPE)
    least, most = node.get("minItems") or 0, node.get("maxItems")
    keys: tuple[str, ...] = tuple(node.get(LIST_KEYS, ()))
    if kind == "set" and items.get("type") not in _SCALARS:
        return _never

    def fits(value: Any) -> bool:
        if value.__class__ is not list or len(value) < least or (most is not None and len(value) > most):
            return False
        for item in value:
            if not item_fits(item):
                return False
        if kind == "set":
            return len(set(value)) == len(value)
        if kind == "map":
            return len({tuple([item.get(key) for key in keys]) for item in value}) == len(value)
        return True

    return fits


def _object(node: Document) -> IsValid:
    if node.get(EMBEDDED):
        return _never
    return _with_fields(node, {name: _fits(inner) for name, inner in node.get("properties", {}).items()})


def _with_fields(node: Document, fields: Mapping[str, IsValid], unknown: IsValid | None = None) -> IsValid:
    values, needed = node.get("additionalProperties"), frozenset(node.get("required", ()))
    least, most = node.get("minProperties") or 0, node.get("maxProperties")
    other: IsValid = _is_written if node.get(PRESERVES) and values is None else _never
    if isinstance(values, dict):
        other = _fits(values)
    if unknown is not None:
        other = unknown

    def fits(value: Any) -> bool:
        if value.__class__ is not dict or len(value) < least or (most is not None and len(value) > most):
            return False
        for name, item in value.items():
            if not fields.get(name, other)(item):
                return False
        return needed <= value.keys()

    return fits
