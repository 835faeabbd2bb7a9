"""Uniqueness of items in lists with ``list-type=set`` or ``list-type=map`` (apiextensions ``schema/listtype``)."""

from typing import Any

import orjson

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid
from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import LIST_KEYS, LIST_TYPE, schema_of_items, schema_of_values


def validate_list_types(node: Document | None, value: Any, path: FieldPath) -> list[FieldError]:
    """Validate the uniqueness of items in all lists of a value, by the list types in its schema `node`.

    Items of a set must differ, and items of a ``map`` list must differ in their keys. `path` is the value's field path.
    """
    if node is None:
        return []
    errors: list[FieldError] = []
    if isinstance(value, dict):
        values, described = schema_of_values(node), node.get("properties", {})
        if values is not None:
            for name, item in value.items():
                errors += validate_list_types(values, item, path.key(name))
        for name, item in value.items():
            if name in described:
                errors += validate_list_types(described[name], item, path.child(name))
    elif isinstance(value, list):
        list_type = node.get(LIST_TYPE)
        if list_type == "set":
            errors += [duplicate(path.item(index), value[index]) for index in _repeated(value)]
        elif list_type == "map":
            errors += _validate_map(node.get(LIST_KEYS, []), value, path)
        items = schema_of_items(node)
        for index, item in enumerate(value):
            errors += validate_list_types(items, item, path.item(index))
    return errors


def _validate_map(keys: list[str], items: list[Any], path: FieldPath) -> list[FieldError]:
    for index, item in enumerate(items):
        if item is not None and not isinstance(item, dict):
            return [invalid(path.item(index), item, "must be an object for an array of list-type map")]
    found = [{key: item[key] for key in keys if key in item} if item else {} for item in items]
    return [duplicate(path.item(index), found[index]) for index in _repeated(found)]


def _repeated(values: list[Any]) -> list[int]:
    """Return the indexes of the values that also occur at a lower index of the list."""
    seen: dict[bytes, int] = {}
    places: list[int] = []
    for index, value in enumerate(values):
        written = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        seen[written] = seen.get(written, 0) + 1
        if seen[written] == 2:
            places.append(index)
    return places
