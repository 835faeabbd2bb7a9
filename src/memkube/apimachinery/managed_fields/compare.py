"""Comparison of an object before and after a write, to find changed fields (structured-merge-diff's ``Compare``)."""

from itertools import chain, compress, repeat
from operator import ne
from typing import Any, Final, NamedTuple

from memkube.apimachinery.managed_fields.creation import addition_walker
from memkube.apimachinery.managed_fields.field_set import LEAF, FieldSet, in_order, recursive_difference, union
from memkube.apimachinery.managed_fields.shapes import child_schema, indexed, is_atomic
from memkube.apimachinery.schema import ListSchema, Scalar, Schema

_MISSING: Final = object()


class Comparison(NamedTuple):
    """Sets of the fields that were added, removed and modified between two versions of an object."""

    added: FieldSet
    removed: FieldSet
    modified: FieldSet

    def without(self, fields: FieldSet | None) -> "Comparison":
        """Return a copy of this comparison without `fields` and all fields below them."""
        if not fields or fields.keys().isdisjoint(chain(self.added, self.removed, self.modified)):
            return self
        sets = (self.added, self.removed, self.modified)
        return Comparison(*(recursive_difference(changed, fields) for changed in sets))

    @property
    def set(self) -> FieldSet:
        """Fields that were added or modified. The manager that wrote the new version owns them."""
        return union(self.modified, self.added)


def compare(schema: Schema, old: Any, new: Any) -> Comparison:
    """Return the fields that differ between two versions of an object. Equal parts are not compared field by field."""
    sets = _below(schema, old, new)
    return Comparison(sets.added, sets.removed, sets.modified)


class _Sets:
    """Collects the added, removed and modified fields below one field of the object."""

    __slots__ = ("added", "modified", "removed")

    def __init__(self) -> None:
        self.added: FieldSet = {}
        self.removed: FieldSet = {}
        self.modified: FieldSet = {}

    def gather(self, element: str, schema: Schema, old: Any, new: Any) -> None:
        """Compare the old and new value of the field or list item `element`, and record the changed fields in it."""
        if _is_leaf(schema, old, new):
            self.modified[element] = LEAF
            return
        if _changes_shape(schema, old, new):
            self.modified[element] = LEAF
        below = _below(schema, old, new)
        if below.added:
            self.added[element] = below.added
        if below.removed:
            self.removed[element] = below.removed
        if below.modified:
            self.modified[element] = {".": LEAF, **below.modified} if element in self.modified else below.modified

    def sort(self) -> None:
        """Sort the path elements of the added, removed and modified fields into serialisation order."""
        if len(self.added) > 1:
            self.added = in_order(self.added)
        if len(self.removed) > 1:
            self.removed = in_order(self.removed)
        if len(self.modified) > 1:
            self.modified = in_order(self.modified)


def _is_leaf(schema: Schema, old: Any, new: Any) -> bool:
    if not old and not new:
        return True
    return is_atomic(schema, old) and is_atomic(schema, new)


def _changes_shape(schema: Schema, old: Any, new: Any) -> bool:
    """True if a field of unknown type has changed from an object to another type, or from another type to an object."""
    shapes = isinstance(old, dict), isinstance(new, dict)
    return isinstance(schema, Scalar) and shapes[0] != shapes[1] and old is not None and new is not None


def _below(schema: Schema, old: Any, new: Any) -> _Sets:
    """Return the field changes inside a value that is not atomic, by comparing the parts of `old` and `new`."""
    sets = _Sets()
    if isinstance(schema, ListSchema):
        _compare_items(sets, schema, old or [], new or [])
    else:
        _compare_fields(sets, schema, _object(old), _object(new))
    sets.sort()
    return sets


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _compare_fields(sets: _Sets, schema: Schema, old: dict[str, Any], new: dict[str, Any]) -> None:
    # Most fields are unchanged. Python compares whole dictionaries in C, which is faster than a loop over each field.
    for key in compress(new, map(ne, map(old.get, new, repeat(_MISSING)), new.values())):
        if (below := child_schema(schema, key)) is not None:
            if key in old:
                sets.gather(f"f:{key}", below, old[key], new[key])
            else:
                sets.added[f"f:{key}"] = addition_walker(below)(new[key])
    if not old.keys() <= new.keys():
        for key in [key for key in old if key not in new]:
            if (below := child_schema(schema, key)) is not None:
                sets.removed[f"f:{key}"] = addition_walker(below)(old[key])


def _compare_items(sets: _Sets, schema: ListSchema, old: list[Any], new: list[Any]) -> None:
    before, after = indexed(schema, old), indexed(schema, new)
    for element, items in after.items():
        was = before.get(element, [])
        if len(was) == 1 and len(items) == 1:
            if was[0] != items[0]:
                sets.gather(element, schema.items, was[0], items[0])
        elif len(was) > 1 and len(items) > 1:
            if was != items:
                sets.modified[element] = LEAF
        else:
            _compare_duplicates(sets, element, schema.items, was, items)
    for element, was in before.items():
        if element not in after:
            sets.removed[element] = addition_walker(schema.items)(was[0]) if len(was) == 1 else LEAF


def _compare_duplicates(sets: _Sets, element: str, schema: Schema, old: list[Any], new: list[Any]) -> None:
    """Record in `sets` the change of those list items that all have the path element `element`.

    `old` and `new` are these items in the old and the new list; at least one of the lists has several of them
    (duplicates). Duplicates count as one field, which is added or removed as a whole.
    """
    if len(old) > 1:
        sets.removed[element] = LEAF
    elif old:
        sets.removed[element] = addition_walker(schema)(old[0])
    if len(new) > 1:
        sets.added[element] = LEAF
    else:
        sets.added[element] = addition_walker(schema)(new[0])
