"""Field paths and field sets in the form of FieldsV1, and set operations.

A path consists of elements: ``f:name`` is a struct field or map key, ``k:{"name":"app"}`` is an item of a list with
``x-kubernetes-list-type: map``, ``v:"x"`` is an item of a set, and ``i:0`` is a list index.

A set is a tree of dicts that are never modified: ``{"f:metadata": {"f:labels": {".": {}, "f:app": {}}}}`` contains
``metadata.labels`` and ``metadata.labels.app``. A node that is empty or contains "." is a member of the set; other
nodes only contain members. The root is never a member. Source: structured-merge-diff's ``fieldpath``.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

import orjson

from memkube.apimachinery.patches.errors import go_text
from memkube.apimachinery.shown_values import HTML_ESCAPES, quoted

_LARGEST_INTEGER: Final = 2**63
_written_as_it_is: Final = re.compile(r"[A-Za-z0-9 ._:/@+-]*").fullmatch
"""Function that returns a match for a string if JSON represents it without escapes.

It returns None for a few strings without escapes too.
"""
_RANKS: Final[dict[type, int]] = {float: 0, int: 0, str: 1, bool: 2, list: 3, dict: 4, type(None): 5}
FieldSet: TypeAlias = dict[str, Any]
LEAF: Final[FieldSet] = {}
"""Tree node of a field that is a member of the set, while no field below it is a member."""


class InvalidPathElementError(ValueError):
    """Raised for text that is not a valid path element of FieldsV1, such as ``f:name``."""


def key_element(keys: tuple[tuple[str, Any], ...]) -> str:
    """Return the path element of a list item with these key fields, which must be sorted by name."""
    if len(keys) == 1:
        name, value = keys[0]
        if type(value) is str and _written_as_it_is(value):
            return f'k:{{"{name}":"{value}"}}'
    return f"k:{_json(dict(keys))}"


def value_element(value: Any) -> str:
    """Return the path element of an item in a list of type ``set``; the item's value identifies it.

    As in Go, a whole float such as ``1.0`` is written as an integer.
    """
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_INTEGER
    return f"v:{_json(int(value) if is_whole else value)}"


def parsed(element: str) -> str | None:
    """Return the canonical form of a path element that a client sent; None if the type of the element is unknown.

    Raises InvalidPathElementError if the element is malformed.
    """
    kind, content = element[:2], element[2:]
    if len(kind) < 2 or kind[1] != ":":
        raise InvalidPathElementError(f"path element without a colon: {element}")
    if kind == "f:":
        return element
    if kind not in ("k:", "v:", "i:"):
        return None
    try:
        value = int(content) if kind == "i:" else orjson.loads(content)
    except ValueError as error:
        raise InvalidPathElementError(str(error)) from error
    if kind == "i:":
        return f"i:{value}"
    if kind == "v:":
        return value_element(value)
    if not isinstance(value, dict):
        raise InvalidPathElementError(f"the keys in a path element must be a JSON object: {content}")
    return key_element(tuple(sorted(value.items())))


@lru_cache(maxsize=4096)
def order(element: str) -> tuple[Any, ...]:
    """Return the sort key of a path element in Kubernetes' order: fields, then keys, values and indexes."""
    kind, content = element[0], element[2:]
    if kind == "f":
        return (0, content)
    if kind == "k":
        return (1, *((name, *value_order(value)) for name, value in orjson.loads(content).items()))
    if kind == "v":
        return (2, *value_order(orjson.loads(content)))
    return (3, int(content)) if kind == "i" else (-1,)


def value_order(value: Any) -> tuple[int, Any]:
    """Return the sort key of a scalar in Kubernetes' order of scalars of different types."""
    rank = _RANKS.get(type(value), 1)
    return rank, value if rank < 3 else _json(value)


def shown_element(element: str) -> str:
    """Format a path element for error messages: ``.name``, ``[name="app"]``, ``[="x"]`` or ``[0]``."""
    kind, content = element[0], element[2:]
    if kind == "f":
        return f".{content}"
    if kind == "k":
        return f"[{','.join(f'{name}={_shown(value)}' for name, value in orjson.loads(content).items())}]"
    return f"[={_shown(orjson.loads(content))}]" if kind == "v" else f"[{content}]"


def shown_path(path: tuple[str, ...]) -> str:
    """Format a path for error messages: ``.spec.containers[name="app"].image``."""
    return "".join(map(shown_element, path))


def _shown(value: Any) -> str:
    """Format a value as structured-merge-diff does: strings quoted, and the entries of a map without separators."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{','.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return "".join(f"{name}={_shown(item)}" for name, item in value.items())
    return "null" if value is None else go_text(value)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode().translate(HTML_ESCAPES)


@lru_cache(maxsize=256)
def field_set(*paths: str | tuple[str, ...]) -> FieldSet:
    """Build a field set from the paths of struct fields: ``field_set("status", ("metadata", "name"))``."""
    fields: FieldSet = {}
    for path in paths:
        names = (path,) if isinstance(path, str) else path
        node: FieldSet = {}
        for name in reversed(names):
            node = {f"f:{name}": node}
        fields = union(fields, node)
    return fields


def is_member(node: FieldSet) -> bool:
    """True if the field at this node is a member of the set; False if only fields below it are."""
    return not node or "." in node


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    """Return the fields that are in one of the two sets or in both."""
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
    """Return the fields of `one` that are not in `other`."""
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


def covers(one: FieldSet, other: FieldSet) -> bool:
    """True if the set `one` contains all fields of the set `other`."""
    for element, node in other.items():
        mine = one.get(element)
        if element == ".":
            if one and mine is None:
                return False
        elif mine is None or not (covers(mine, node) if node else is_member(mine)):
            return False
    return True


def recursive_difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """Return the fields of `one` that are neither in `other` nor below a field in it."""
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
    """Return the fields that are in both sets."""
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
    """Yield the path of each member, beginning with `prefix`. Members of a node precede members of its children."""
    for element, node in fields.items():
        if element != "." and is_member(node):
            yield (*prefix, element)
    for element, node in fields.items():
        if node and element != ".":
            yield from paths(node, (*prefix, element))


def has_path(fields: FieldSet, path: Iterable[str]) -> bool:
    """True if the field at this path is a member of the set."""
    node: FieldSet | None = fields
    for element in path:
        node = node.get(element) if node else None
        if node is None:
            return False
    return node is not None and is_member(node)


def in_order(level: FieldSet) -> FieldSet:
    """Return a copy of a node of a field set, with its path elements sorted as Kubernetes serialises them.

    The nodes below it are not sorted.
    """
    elements = sorted(level)
    # The elements of fields are in the right order already. As texts, those of all other types come after them.
    if elements and elements[-1] >= "g":
        elements.sort(key=order)
    return {element: level[element] for element in elements}


def _children(node: FieldSet) -> FieldSet:
    if "." not in node:
        return node
    return {element: below for element, below in node.items() if element != "."}
