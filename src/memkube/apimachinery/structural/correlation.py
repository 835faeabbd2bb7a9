"""Comparison of each part of an object with the same part of its old version (KEP-4008).

Source: apiserver ``cel/common/equality.go``.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from memkube.apimachinery.model import Document
from memkube.apimachinery.structural.keywords import LIST_KEYS, LIST_TYPE, schema_of_field, schema_of_items

_ABSENT: Final = object()


class Correlation:
    """A value in an updated object, paired with the value at the same place in the old object.

    The schema `node` of the value says how list items of both objects are paired.
    """

    def __init__(self, node: Document, old: Any, new: Any) -> None:
        self._node = node
        self._old = old
        self._new = new
        self._items: dict[bytes, Any] | None = None
        self._unchanged: bool | None = None

    def field(self, name: str) -> Correlation | None:
        """Return the pair of values of a field or map key.

        Returns None if the old value does not have the field, or if the schema does not declare the field.
        """
        if not isinstance(self._old, dict) or not isinstance(self._new, dict):
            return None
        node = schema_of_field(self._node, name)
        if node is None or name not in self._old or name not in self._new:
            return None
        return Correlation(node, self._old[name], self._new[name])

    def item(self, index: int) -> Correlation | None:
        """Return an item of a list with ``list-type=map``, paired with the old item that has the same keys.

        Returns None for other lists, and if the old list has no such item.
        """
        items = schema_of_items(self._node)
        if items is None or self._node.get(LIST_TYPE) != "map":
            return None
        if not isinstance(self._old, list) or not isinstance(self._new, list) or index >= len(self._new):
            return None
        if self._items is None:
            self._items = {}
            for item in self._old:
                self._items.setdefault(self._key(item), item)
        old = self._items.get(self._key(self._new[index]), _ABSENT)
        return None if old is _ABSENT or old is None else Correlation(items, old, self._new[index])

    @property
    def unchanged(self) -> bool:
        """True if the old and new value are equal. The order of items in lists with ``list-type=map`` is ignored."""
        if self._unchanged is None:
            self._unchanged = self._compare()
        return self._unchanged

    def _compare(self) -> bool:
        old, new = self._old, self._new
        if isinstance(old, dict) and isinstance(new, dict):
            if len(old) != len(new):
                return False
            fields = (self.field(name) for name in new)
            return all(field is not None and field.unchanged for field in fields)
        if isinstance(old, list) and isinstance(new, list) and self._node.get(LIST_TYPE) == "map":
            items = [self.item(index) for index in range(len(new))]
            return len(old) == len(new) and all(item is not None and item.unchanged for item in items)
        return same(old, new)

    def _key(self, item: Any) -> bytes:
        keys = self._node.get(LIST_KEYS, ())
        return orjson.dumps([item.get(key) for key in keys] if isinstance(item, dict) else None)


def same(one: Any, other: Any) -> bool:
    """True if two values are equal and have the same types, also in nested values."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)
