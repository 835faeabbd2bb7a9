"""Merging and ordering of lists for strategic merge patches: objects by a merge key, scalars as sets.

Source: apimachinery's ``util/strategicpatch``.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.errors import PatchError, bad_request, go_string, go_text, go_type, internal

DIRECTIVE: Final = "$patch"
DELETE_FROM_LIST: Final = "$deleteFromPrimitiveList"
ORDER: Final = "$setElementOrder"
_DIRECTIVE_NAMES: Final = {DELETE_FROM_LIST: "primitive list", ORDER: "setElementOrder list"}

Items: TypeAlias = list[Any]
MergeObjects: TypeAlias = Callable[[Document, Document], Document]


def directive_key(directive: str, prefix: str) -> str:
    """Return the field name in a directive such as ``$setElementOrder/FIELD``.

    `prefix` is the part before the slash. Raises PatchError (400) if the directive does not begin with `prefix` or has
    no slash.
    """
    head, separator, key = directive.partition("/")
    if head != prefix or not separator:
        raise bad_request(f"invalid patch format of {_DIRECTIVE_NAMES[prefix]}")
    return key


def unknown_directive(directive: Any, patch: Document) -> PatchError:
    """Return the PatchError (500) for a patch whose field ``$patch`` has the unknown value `directive`."""
    return internal(f"unknown patch type: {go_string(directive)} in map: {go_text(patch)}")


def check_list(value: Any) -> Items:
    """Return `value` unchanged if it is a list. Raises PatchError (500) if it is not."""
    items: Items = _checked(value, list)
    return items


def merged_items(original: Items, patch: Items, key: str, deletes: bool, merge: MergeObjects) -> Items:
    """Merge the list of a patch into the original list.

    `key` is the merge key of a list of objects. `merge` takes an original object and an object of the patch with the
    same value of this key, and returns the merged object. Original items without a counterpart in the patch follow the
    items of the patch. With `deletes`, the lists have scalars, and those in the patch are removed from the original
    list instead. Raises PatchError (500) if items have different types.
    """
    if not _are_objects(original, patch):
        if deletes:
            return [item for item in original if not _position(item, patch, "")]
        both = _distinct(original + patch)
        return _in_order(both, patch, original, key)
    if not key:
        raise internal("cannot merge lists without merge key for struct")
    rest, additions = _apply_directives(original, patch, key)
    return _in_order(_merge_objects(rest, additions, key, merge), additions, rest, key)


def ordered(merged: Items, order: Items, original: Items, patch: Items, key: str) -> Items:
    """Return the list `merged`, sorted by `order`, which is the list in a ``$setElementOrder`` directive.

    Items that `order` does not contain stay before the items that followed them in the list `original`. `key` is the
    merge key of the items. Raises PatchError (500) if items of `original` and `patch` have different types.
    """
    _are_objects(original, patch)
    return _in_order(merged, order, original, key)


def validate_order(patch: Items, order: Items, key: str) -> None:
    """Raise PatchError (500) unless the list `order` contains all items of the list `patch`, in the same order.

    `order` is the list of a ``$setElementOrder`` directive. `key` is the merge key of the items; "" for scalars. Items
    with a ``$patch`` directive need not be in `order`. An empty `order` allows any patch.
    """
    if not order or not patch:
        return
    rest = [item for item in patch if _checked(item, dict).get(DIRECTIVE) != "delete"] if key else patch
    index = order_index = 0
    while index < len(rest) and order_index < len(order):
        if isinstance(rest[index], dict) and DIRECTIVE in rest[index]:
            index += 1
            continue
        if _identity(rest[index], key) == _identity(order[order_index], key):
            index += 1
        order_index += 1
    if index < len(rest) and order_index >= len(order):
        raise internal(f"The order in patch list:\n{go_text(patch)}\n doesn't match {ORDER} list:\n{go_text(order)}\n")


def _are_objects(*lists: Items) -> bool:
    """Return True if the list items are objects, False if scalars.

    Raises PatchError (500) for nested lists or mixed types.
    """
    kinds = [go_type(item) for items in lists for item in items]
    if not kinds:
        raise internal("no elements in any of the given slices")
    if kinds[0] == "[]interface {}":
        raise PatchError(422, "Invalid", "the server rejected our request due to an error in our request")
    if any(kind != kinds[0] for kind in kinds):
        raise internal(f"list element types are not identical: {go_text(list(lists))}")
    return kinds[0] == "map[string]interface {}"


def _apply_directives(original: Items, patch: Items, key: str) -> tuple[Items, Items]:
    """Apply the ``$patch`` directives in a list of the patch.

    Returns the original items that are not deleted, and the items of the patch that are no directives.
    """
    rest, additions, replace = list(original), [], False
    for item in patch:
        directive = item.get(DIRECTIVE)
        if DIRECTIVE not in item:
            additions.append(item)
        elif directive == "delete":
            rest = [one for one in rest if not _same_key(one, key, _required_key(item, key))]
        elif directive == "replace":
            replace = True
        elif directive == "merge":
            raise internal("merging lists cannot yet be specified in the patch")
        else:
            raise unknown_directive(directive, item)
    return ([] if replace else rest), additions


def _merge_objects(original: Items, patch: Items, key: str, merge: MergeObjects) -> Items:
    merged = list(original)
    for item in patch:
        value = _required_key(item, key)
        found = next((index for index, one in enumerate(merged) if _same_key(one, key, value)), None)
        if found is None:
            merged.append(item)
        else:
            merged[found] = merge(merged[found], item)
    return merged


def _in_order(merged: Items, patch_order: Items, original_order: Items, key: str) -> Items:
    """Return the list `merged` with items of the list `patch_order` in its order, and all others in `original_order`.

    An item that `patch_order` lacks stays before the items that follow it in `original_order`. `key` is the merge key
    of the items; "" for scalars.
    """
    if key:
        for item in merged:
            _required_key(_checked(item, dict), key)
    for item in patch_order if key else ():
        _checked(item, dict)
    named = [item for item in merged if _position(item, patch_order, key)]
    others = [item for item in merged if not _position(item, patch_order, key)]
    return _woven(_sorted_by(others, original_order, key), _sorted_by(named, patch_order, key), original_order, key)


def _sorted_by(items: Items, order: Items, key: str) -> Items:
    if key:
        for item in order:
            _required_key(_checked(item, dict), key)
    doomed = [item for item in items if key and item.get(DIRECTIVE) == "delete"]
    kept = [item for item in items if not any(item is one for one in doomed)]
    places = [_position(item, order, key) for item in kept]
    if all(places):
        return [item for _, item in sorted(zip(places, kept, strict=True), key=lambda pair: pair[0])] + doomed
    return _insertion_sorted(kept, places) + doomed


def _insertion_sorted(items: Items, places: list[int]) -> Items:
    """Return the items sorted by their positions `places`, with the same comparisons as Go's insertion sort.

    `places` has for each item its position in a reference list, counted from 1; 0 if that list lacks the item. As in
    Kubernetes, the comparison of an item with position 0 always swaps the two items. The result therefore depends on
    the order of the comparisons, so Python's own sort cannot be used.
    """
    entries = list(zip(places, items, strict=True))
    for end in range(1, len(entries)):
        at = end
        while at and (not entries[at][0] or not entries[at - 1][0] or entries[at][0] < entries[at - 1][0]):
            entries[at - 1], entries[at] = entries[at], entries[at - 1]
            at -= 1
    return [item for _, item in entries]


def _woven(others: Items, named: Items, order: Items, key: str) -> Items:
    woven: Items = []
    left, right = list(reversed(others)), list(reversed(named))
    while left and right:
        one, two = _position(left[-1], order, key), _position(right[-1], order, key)
        woven.append(left.pop() if one and two and one < two else right.pop())
    return woven + left[::-1] + right[::-1]


def _position(item: Any, items: Items, key: str) -> int:
    """Return the position of an item in a list, counted from 1; 0 if the list does not contain the item.

    Objects are the same item if they have the same value of the merge key `key`; for scalars, `key` is "".
    """
    if not key:
        return next((index for index, one in enumerate(items, 1) if one == item and go_type(one) == go_type(item)), 0)
    value = item.get(key)
    return next((index for index, one in enumerate(items, 1) if _same_key(one, key, value)), 0)


def _same_key(item: Any, key: str, value: Any) -> bool:
    if not isinstance(item, dict):
        raise internal("value for key 0 is not a map")
    return key in item and bool(item[key] == value) and go_type(item[key]) == go_type(value)


def _required_key(item: Document, key: str) -> Any:
    if key not in item:
        raise internal(f"map: {go_text(item)} does not contain declared merge key: {key}")
    return item[key]


def _identity(item: Any, key: str) -> tuple[str, Any]:
    value = _required_key(_checked(item, dict), key) if key else item
    return go_type(value), value


def _checked(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        received = "%!s(<nil>)" if value is None else go_type(value)
        raise internal(f"expected a {go_type(kind())}, but received a {received}")
    return value


def _distinct(items: Items) -> Items:
    kept: Items = []
    for item in items:
        if not _position(item, kept, ""):
            kept.append(item)
    return kept
