"""Defaulting of custom objects by their schema (apiextensions ``schema/defaulting/algorithm.go``)."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, TypeAlias

from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import schema_of_field, schema_of_items, schema_of_values

HasDefaults: TypeAlias = Callable[[Any], bool]


def defaulted(node: Document | None, value: Any) -> Any:
    """Return `value` with the defaults of the schema `node` for missing fields.

    Null fields also get their default, unless the schema allows null.
    """
    if node is None:
        return value
    if isinstance(value, list):
        items = schema_of_items(node)
        return [defaulted(items, _or_default(items, item)) for item in value]
    if not isinstance(value, dict):
        return value
    filled = dict(value)
    described = node.get("properties", {})
    for name, inner in described.items():
        missing = name not in filled or (filled[name] is None and not inner.get("nullable"))
        if missing and inner.get("default") is not None:
            filled[name] = deepcopy(inner["default"])
    for name, item in filled.items():
        inner = schema_of_field(node, name)
        filled[name] = defaulted(inner, item if name in described else _or_default(inner, item))
    return filled


def _or_default(node: Document | None, value: Any) -> Any:
    if value is None and node is not None and not node.get("nullable"):
        return deepcopy(node.get("default"))
    return value


def compile_has_defaults(node: Document) -> HasDefaults | None:
    """Compile the schema `node` into a function that returns True if a value already has all defaults.

    Returns None if the schema has no defaults.
    """
    items, values = schema_of_items(node), schema_of_values(node)
    if items is not None:
        return _items_hold(items)
    if values is not None:
        of_value = _items_hold(values)
        return None if of_value is None else lambda value: not isinstance(value, dict) or of_value([*value.values()])
    described: Mapping[str, Document] = node.get("properties", {})
    inside = {name: found for name, inner in described.items() if (found := compile_has_defaults(inner)) is not None}
    filled = {name: inner.get("nullable") for name, inner in described.items() if inner.get("default") is not None}
    if not inside and not filled:
        return None

    def holds(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for name, nullable in filled.items():
            if name not in value or (value[name] is None and not nullable):
                return False
        return all(of_field(value[name]) for name, of_field in inside.items() if name in value)

    return holds


def _items_hold(node: Document) -> HasDefaults | None:
    of_item = compile_has_defaults(node)
    fills = node.get("default") is not None and not node.get("nullable")
    if of_item is None and not fills:
        return None

    def holds(value: Any) -> bool:
        if not isinstance(value, list):
            return True
        if fills and None in value:
            return False
        return of_item is None or all(map(of_item, value))

    return holds
