"""Sets of fields in the form of FieldsV1, and their algebra.

A set is a tree of dicts that are never changed in place: ``{"f:metadata": {"f:labels": {".": {}, "f:app": {}}}}``
holds ``metadata.labels`` and ``metadata.labels.app``. A node that is empty, or contains ".", is itself a member;
others only lead to members. The root is never a member. Source: structured-merge-diff's ``fieldpath.Set``.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from memkube.apimachinery.managed_fields.path_elements import order

FieldSet: TypeAlias = dict[str, Any]

LEAF: Final[FieldSet] = {}
"""A member without members below it."""


def field_set(*paths: str | tuple[str, ...]) -> FieldSet:
    """The set of these paths of field names: ``field_set("status", ("metadata", "name"))``."""
    fields: FieldSet = {}
    for path in paths:
        names = (path,) if isinstance(path, str) else path
        node: FieldSet = {}
        for name in reversed(names):
            node = {f"f:{name}": node}
        fields = union(fields, node)
    return fields


def is_member(node: FieldSet) -> bool:
    """Whether the field that this node stands for is in the set itself."""
    return not node or "." in node


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    """The fields in either set."""
    if not one or not other or one is other:
        return one or other
    both = dict(one)
    for element, node in other.items():
        mine = both.get(element)
        both[element] = node if mine is None else _union_below(mine, node)
    return both if len(both) == len(one) else in_order(both)


def _union_below(one: FieldSet, other: FieldSet) -> FieldSet:
    if not one:
        return other if not other or "." in other else {".": {}, **other}
    if not other:
        return one if "." in one else {".": {}, **one}
    return union(one, other)


def difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """The fields of one set that are not in the other."""
    if not one or not other:
        return one
    if one == other:
        return {}
    return {
        element: rest
        for element, node in one.items()
        if (rest := _difference_below(node, other.get(element))) is not None
    }


def _difference_below(one: FieldSet, other: FieldSet | None) -> FieldSet | None:
    if other is None:
        return one
    member = is_member(one) and not is_member(other)
    children = difference(_children(one), _children(other))
    if children:
        return {".": {}, **children} if member else children
    return LEAF if member else None


def recursive_difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """The fields of one set that are neither in the other nor below a field in it."""
    rest: FieldSet = {}
    for element, node in one.items():
        excluded = other.get(element)
        if excluded is None:
            rest[element] = node
        elif not is_member(excluded):
            children = recursive_difference(_children(node), excluded)
            if is_member(node):
                rest[element] = {".": {}, **children} if children else LEAF
            elif children:
                rest[element] = children
    return rest


def intersection(one: FieldSet, other: FieldSet) -> FieldSet:
    """The fields in both sets."""
    common: FieldSet = {}
    for element, node in one.items():
        theirs = other.get(element)
        if element == "." or theirs is None:
            continue
        children = intersection(_children(node), _children(theirs))
        if is_member(node) and is_member(theirs):
            common[element] = {".": {}, **children} if children else LEAF
        elif children:
            common[element] = children
    return common


def paths(fields: FieldSet, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The members of a set, each as its steps; those of a level come before those below it."""
    for element, node in fields.items():
        if element != "." and is_member(node):
            yield (*prefix, element)
    for element, node in fields.items():
        if node and element != ".":
            yield from paths(node, (*prefix, element))


def has_path(fields: FieldSet, path: Iterable[str]) -> bool:
    """Whether the field at the end of these steps is in the set."""
    node: FieldSet | None = fields
    for element in path:
        node = node.get(element) if node else None
        if node is None:
            return False
    return node is not None and is_member(node)


def in_order(level: FieldSet) -> FieldSet:
    """A node with its steps in the order in which they are written."""
    if all(element[0] == "f" or element == "." for element in level):
        return dict(sorted(level.items()))
    return dict(sorted(level.items(), key=lambda item: order(item[0])))


def _children(node: FieldSet) -> FieldSet:
    if "." not in node:
        return node
    return {element: below for element, below in node.items() if element != "."}
