"""Removal of unknown fields and nulls (apiextensions ``schema/pruning``, ``schema/defaulting``)."""

from typing import Any

from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import (
    EMBEDDED,
    INHERITED,
    PRESERVES,
    schema_of_field,
    schema_of_items,
)


def pruned(node: Document | None, value: Any, path: str, unknown: list[str]) -> Any:
    """Return the value without fields that the schema does not declare, and append their paths to `unknown`."""
    if isinstance(value, list):
        items = schema_of_items(node)
        if node is not None and node.get(PRESERVES):
            return [_kept(items, item, f"{path}[{index}]", unknown) for index, item in enumerate(value)]
        return [pruned(items, item, f"{path}[{index}]", unknown) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if node is not None and node.get(PRESERVES):
        return _kept(node, value, path, unknown)
    kept: Document = {}
    for name, item in value.items():
        where = f"{path}.{name}" if path else name
        if node is not None and node.get(EMBEDDED) and name in INHERITED:
            kept[name] = item
        elif node is not None and (name in node.get("properties", {}) or "additionalProperties" in node):
            kept[name] = pruned(schema_of_field(node, name), item, where, unknown)
        else:
            unknown.append(where)
    return kept


def _kept(node: Document | None, value: Any, path: str, unknown: list[str]) -> Any:
    """Prune a value whose schema `node` preserves unknown fields, and return the pruned value.

    A field that the schema does not declare is kept with all that it contains. A field that the schema declares is
    kept too, but the unknown fields inside it are removed; their paths, which begin with the value's `path`, are
    appended to `unknown`.
    """
    if node is None:
        return value
    if isinstance(value, list):
        items = schema_of_items(node)
        return [_kept(items, item, f"{path}[{index}]", unknown) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    kept: Document = {}
    for name, item in value.items():
        inherited = node.get(EMBEDDED) and name in INHERITED
        described = name in node.get("properties", {}) or "additionalProperties" in node
        if inherited or not described:
            kept[name] = item
        else:
            kept[name] = pruned(schema_of_field(node, name), item, f"{path}.{name}" if path else name, unknown)
    return kept


def without_nulls(node: Document | None, value: Any) -> Any:
    """Return the value without the null fields that the schema does not allow.

    A null field is kept if the schema declares it as nullable, has a default for it or does not declare it at all.
    """
    if isinstance(value, list):
        items = schema_of_items(node)
        return [without_nulls(items, item) for item in value]
    if not isinstance(value, dict):
        return value
    kept: Document = {}
    for name, item in value.items():
        inner = schema_of_field(node, name)
        refused = item is None and inner is not None and not inner.get("nullable") and inner.get("default") is None
        if not refused:
            kept[name] = without_nulls(inner, item)
    return kept
