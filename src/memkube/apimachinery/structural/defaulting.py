"""What an object leaves out and its schema has a default for (apiextensions ``schema/defaulting/algorithm.go``)."""

from copy import deepcopy
from typing import Any

from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import schema_of_field, schema_of_items


def defaulted(node: Document | None, value: Any) -> Any:
    """The value with defaults where it holds nothing, or null that its schema does not admit."""
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
