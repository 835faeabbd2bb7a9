"""Schemas for server-side apply: a value is a scalar, a list or an object, and is atomic or granular.

For values of unknown type (``raw`` without a name), types are deduced as in structured-merge-diff: objects are
granular, lists are atomic. Named raw types such as RawExtension are atomic.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memkube.apimachinery.managed_fields.field_set import key_element, shown_element, value_element
from memkube.apimachinery.patches.errors import go_syntax, go_text, go_type
from memkube.apimachinery.schema import FieldSchema, ListSchema, MapSchema, Scalar, Schema, StructSchema

Shape: TypeAlias = Literal["scalar", "list", "object", "any"]

DEDUCED: Final = Scalar("raw", "")
"""Schema of values of unknown type, such as fields that a CRD preserves without declaring them."""

CACHED_SCHEMAS: Final = 4096
"""Maximum number of schemas for which a function with a cache keeps its results: more than all built-in kinds."""
_NUMERIC: Final = frozenset({"int32", "int64", "float64"})
_UNTYPED: Final = frozenset({"quantity", "time", "microtime", "int-or-string"})


class MissingKeysError(ValueError):
    """Raised with Kubernetes' message if a list item lacks its key fields, or an item of a set is not a scalar."""


def is_atomic(schema: Schema, value: Any) -> bool:
    """True if the value is atomic: server-side apply assigns it to managers as a whole, without the fields below it."""
    if isinstance(schema, Scalar):
        return not isinstance(value, dict) or schema != DEDUCED
    return schema.relationship == "atomic"


def child_schema(schema: Schema, key: str) -> Schema | None:
    """Return the schema of an object's field or map value; None if the field is not declared."""
    if isinstance(schema, StructSchema):
        field = schema.fields.get(key)
        if field is None:
            return DEDUCED if schema.open else None
        return field.schema
    return schema.values if isinstance(schema, MapSchema) else DEDUCED


def element_schema(schema: Schema, element: str) -> Schema | None:
    """Return the schema of the value at a path element; None if the element does not match the schema."""
    if element[0] == "f":
        return None if isinstance(schema, ListSchema) else child_schema(schema, element[2:])
    return schema.items if isinstance(schema, ListSchema) else None


def is_named_field(schema: Schema | None, element: str) -> bool:
    """True if a path element is a declared struct field, as opposed to a map key or list item."""
    return isinstance(schema, StructSchema) and element[0] == "f" and element[2:] in schema.fields


def in_zero_value(schema: StructSchema, field: FieldSchema) -> bool:
    """True if Go encodes the field as JSON even if it is not set, so that the JSON of an empty struct contains it."""
    if schema.model is None:
        return False
    if field.always or (field.required and not field.omits_zero):
        return True
    return isinstance(field.schema, StructSchema) and not field.pointer and not field.omit_zero


class Keys(NamedTuple):
    """A key field of a list with ``list-type=map``, and the default value that the schema declares for it."""

    name: str
    default: Any


@lru_cache(maxsize=CACHED_SCHEMAS)
def list_keys(schema: ListSchema) -> tuple[Keys, ...]:
    """Return the key fields of a list with ``list-type=map``, sorted by name."""
    return tuple(Keys(name, _key_default(schema.items, name)) for name in sorted(schema.keys))


def _key_default(schema: Schema, name: str) -> Any:
    field = schema.fields.get(name) if isinstance(schema, StructSchema) else None
    if field is None or field.default is not None:
        return None if field is None else field.default
    if isinstance(schema, StructSchema) and in_zero_value(schema, field):
        return _zero_of(field)
    return None


def zero_value(schema: Schema) -> Any:
    """Return the JSON data that Go writes for the zero value of a schema's type."""
    if isinstance(schema, StructSchema):
        fields = schema.fields.items()
        return {name: _zero_of(field) for name, field in fields if in_zero_value(schema, field)}
    if not isinstance(schema, Scalar):
        return None
    if schema.type in ("int32", "int64", "float64", "int-or-string"):
        return 0
    return False if schema.type == "bool" else None if schema.type in ("raw", "time", "microtime", "bytes") else ""


def item_element(schema: ListSchema, item: Any) -> str:
    """Return the path element of an item in a list of type ``set`` or ``map``.

    Raises MissingKeysError if the item lacks its key fields, or is not a scalar in a ``set``.
    """
    if schema.relationship == "set":
        return value_element(_set_member(item))
    if not isinstance(item, dict):
        kind = "a null element" if item is None else "non-map elements"
        raise MissingKeysError(f"associative list with keys may not have {kind}")
    keys = []
    for name, default in list_keys(schema):
        value = item.get(name, default)
        if name in item or default is not None:
            keys.append((name, value))
    if not keys:
        names = " ".join(f'"{name}"' for name in schema.keys)
        raise MissingKeysError(
            f"associative list with keys has an element that omits all key fields [{names}] "
            "(and doesn't have default values for any key fields)"
        )
    return key_element(tuple(keys))


def indexed(schema: ListSchema, items: Iterable[Any]) -> dict[str, list[Any]]:
    """Return the items of a list, grouped by path element. A group has several items if they are duplicates.

    Raises MissingKeysError if an item lacks its key fields.
    """
    found: dict[str, list[Any]] = {}
    for item in items:
        found.setdefault(item_element(schema, item), []).append(item)
    return found


def _zero_of(field: FieldSchema) -> Any:
    """Return the JSON data that Go writes for the zero value of a field; None for a pointer."""
    return None if field.pointer else zero_value(field.schema)


def _set_member(item: Any) -> Any:
    if isinstance(item, dict):
        raise MissingKeysError("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise MissingKeysError("not supported: associative list with lists as elements")
    if item is None:
        raise MissingKeysError("associative list without keys has an element that's an explicit null")
    return item


def violations(schema: Schema, value: Any, *, repeats: bool = False) -> str:
    """Return one error message with all violations of the schema in a value; "" if the value is valid.

    If `repeats` is true, duplicate list items are allowed.
    """
    found = [f"{path}: {problem}" for path, problem in _check(schema, value, "", repeats=repeats)]
    return "\n  ".join(["errors:", *found]) if len(found) > 1 else "".join(found)


def _check(schema: Schema, value: Any, path: str, *, repeats: bool) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if isinstance(schema, Scalar):
        if problem := _scalar_problem(schema, value):
            yield path, problem
    elif isinstance(schema, ListSchema):
        if isinstance(value, list):
            yield from _check_items(schema, value, path, repeats=repeats)
        else:
            yield path, f"expected list, got &{{{go_text(value)}}}"
    elif isinstance(value, dict):
        yield from _check_fields(schema, value, path, repeats=repeats)
    else:
        yield path, f"expected map, got &{{{go_text(value)}}}"


def _check_fields(schema: Schema, value: dict[str, Any], path: str, *, repeats: bool) -> Iterator[tuple[str, str]]:
    for key, item in value.items():
        below = child_schema(schema, key)
        if below is None:
            yield f"{path}.{key}", "field not declared in schema"
            return
        yield from _check(below, item, f"{path}.{key}", repeats=repeats)


def _check_items(schema: ListSchema, value: list[Any], path: str, *, repeats: bool) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for index, item in enumerate(value):
        element = f"i:{index}"
        if schema.relationship != "atomic":
            try:
                element = item_element(schema, item)
            except MissingKeysError as error:
                yield path, f"element {index}: {error}"
                return
            if element in seen and not repeats:
                yield path, f"duplicate entries for key {shown_element(element)}"
            seen.add(element)
        yield from _check(schema.items, item, path + shown_element(element), repeats=repeats)


def _scalar_problem(schema: Scalar, value: Any) -> str:
    if schema.type == "raw":
        return ""
    if schema.type in _NUMERIC:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        return "" if fits else f"expected numeric (int or float), got {go_type(value)}"
    if schema.type == "bool":
        return "" if isinstance(value, bool) else f"expected boolean, got &{{{go_text(value)}}}"
    if schema.type in _UNTYPED:
        return "" if not isinstance(value, dict | list) else f"expected any scalar, got &{{{go_text(value)}}}"
    if isinstance(value, str):
        return ""
    return f"expected string, got &value.valueUnstructured{{Value:{go_syntax(value)}}}"
