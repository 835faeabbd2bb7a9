"""Names of the Kubernetes extensions of OpenAPI schemas, and traversal of nested schemas."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document

PRESERVES: Final = "x-kubernetes-preserve-unknown-fields"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"
LIST_TYPE: Final = "x-kubernetes-list-type"
LIST_KEYS: Final = "x-kubernetes-list-map-keys"
MAP_TYPE: Final = "x-kubernetes-map-type"
RULES: Final = "x-kubernetes-validations"
CONTAINING: Final = frozenset(
    {
        "items", "additionalProperties", "not", "additionalItems", "allOf", "anyOf", "oneOf", "properties",
        "patternProperties", "definitions", "dependencies",
    }
)  # fmt: skip
"""Keywords of a schema whose values are or contain other schemas."""
INHERITED: Final = ("apiVersion", "kind", "metadata")
"""Fields that every object has even if its schema does not declare them."""


def schema_of_values(node: Document) -> Document | None:
    """Return the schema of a map's values; None if the schema declares none."""
    values = node.get("additionalProperties")
    return values if isinstance(values, dict) else None


def schema_of_field(node: Document | None, name: str) -> Document | None:
    """Return the schema of an object's property or map value; None if the schema declares none."""
    if node is None:
        return None
    described: Document | None = node.get("properties", {}).get(name)
    return schema_of_values(node) if described is None else described


def schema_of_items(node: Document | None) -> Document | None:
    """Return the schema of a list's items; None if the schema declares none."""
    items = None if node is None else node.get("items")
    return items if isinstance(items, dict) else None


class Step(NamedTuple):
    """A schema that is nested in another schema.

    `keyword` is the keyword of the outer schema that contains the nested one, such as ``properties``. `key_or_index`
    is the position of the nested schema in this keyword; None if the keyword has only one schema.
    """

    keyword: str
    key_or_index: str | int | None
    node: Document


def steps(node: Document) -> Iterator[Step]:
    """Yield a Step for each schema that is directly nested in the schema `node`, whatever the keyword."""
    if CONTAINING.isdisjoint(node):
        return
    for keyword in ("items", "additionalProperties", "not", "additionalItems"):
        inner = node.get(keyword)
        if isinstance(inner, dict):
            yield Step(keyword, None, inner)
        elif isinstance(inner, list):
            yield from (Step(keyword, index, item) for index, item in enumerate(inner))
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from (Step(keyword, index, item) for index, item in enumerate(node.get(keyword, ())))
    for keyword in ("properties", "patternProperties", "definitions", "dependencies"):
        members: dict[str, Any] = node.get(keyword, {})
        yield from (Step(keyword, name, item) for name, item in members.items() if isinstance(item, dict))


def schemas_within(node: Document) -> Iterator[Document]:
    """Yield a schema and all schemas nested in it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += [step.node for step in steps(current)]
