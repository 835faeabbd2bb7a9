"""Whether a configuration fits the schema, checked before it is applied. Source: structured-merge-diff's ``typed``."""

from collections.abc import Iterator
from typing import Any, Final

from memkube.apimachinery.managed_fields.path_elements import shown_element
from memkube.apimachinery.managed_fields.shapes import MissingKeysError, child_schema, item_element
from memkube.apimachinery.patches.go_text import go_syntax, go_text, go_type
from memkube.apimachinery.schema import ListSchema, Scalar, Schema

_NUMERIC: Final = frozenset({"int32", "int64", "float64"})
_UNTYPED: Final = frozenset({"quantity", "time", "microtime", "int-or-string"})


def violations(schema: Schema, value: Any) -> str:
    """What is wrong with a value, in the reference's words; empty if nothing is."""
    found = [f"{path}: {problem}" for path, problem in _check(schema, value, "")]
    return "\n  ".join(["errors:", *found]) if len(found) > 1 else "".join(found)


def _check(schema: Schema, value: Any, path: str) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if isinstance(schema, Scalar):
        if problem := _scalar_problem(schema, value):
            yield path, problem
    elif isinstance(schema, ListSchema):
        if isinstance(value, list):
            yield from _check_items(schema, value, path)
        else:
            yield path, f"expected list, got &{{{go_text(value)}}}"
    elif isinstance(value, dict):
        yield from _check_fields(schema, value, path)
    else:
        yield path, f"expected map, got &{{{go_text(value)}}}"


def _check_fields(schema: Schema, value: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    for key, item in value.items():
        below = child_schema(schema, key)
        if below is None:
            yield f"{path}.{key}", "field not declared in schema"
            return
        yield from _check(below, item, f"{path}.{key}")


def _check_items(schema: ListSchema, value: list[Any], path: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for index, item in enumerate(value):
        element = f"i:{index}"
        if schema.relationship != "atomic":
            try:
                element = item_element(schema, item)
            except MissingKeysError as error:
                yield path, f"element {index}: {error}"
                return
            if element in seen:
                yield path, f"duplicate entries for key {shown_element(element)}"
            seen.add(element)
        yield from _check(schema.items, item, path + shown_element(element))


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
