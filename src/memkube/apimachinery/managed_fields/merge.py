"""Merging an applied configuration into an object, and removing fields that the configuration no longer contains.

Sources: structured-merge-diff's ``typed`` and ``merge.Updater.prune``.
"""

from collections import Counter, deque
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from memkube.apimachinery.managed_fields.creation import to_field_set, with_named_fields
from memkube.apimachinery.managed_fields.field_set import FieldSet, difference, intersection, is_member, union
from memkube.apimachinery.managed_fields.shapes import DEDUCED, child_schema, is_atomic, item_element
from memkube.apimachinery.managed_fields.versions import Versions
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import ListSchema, Schema

_PRUNING: Final = "failed to prune fields: "
_OWNED: Final = "failed add back owned items: "
_DANGLING: Final = "failed add back dangling items: "
_CONVERTING: Final = "failed to convert"
Items: TypeAlias = list[tuple[str, Any]]


def merged(schema: Schema, live: Any, config: Any) -> Any:
    """Return the stored object with the applied configuration merged into it. No field of the stored object is removed.

    Raises MissingKeysError if a list item of the stored object lacks its key fields.
    """
    if not live:
        return config
    if isinstance(live, dict) and not is_atomic(schema, live):
        return _merged_fields(schema, live, config) if isinstance(config, dict | None) else config
    if isinstance(schema, ListSchema) and isinstance(live, list) and not is_atomic(schema, live):
        return _merged_items(schema, live, config) if config else live
    return config


def _merged_fields(schema: Schema, live: dict[str, Any], config: dict[str, Any] | None) -> dict[str, Any]:
    if not config:
        return live
    both = dict(live)
    for key, value in config.items():
        both[key] = merged(child_schema(schema, key) or DEDUCED, live[key], value) if key in live else value
    return both


def _merged_items(schema: ListSchema, live: list[Any], config: list[Any]) -> list[Any]:
    """Return the stored list `live` with the items of the applied list `config` merged into it.

    Applied items have the order of the configuration. Each other item stays before the item that followed it in the
    stored list.
    """
    present = [(item_element(schema, item), item) for item in live]
    applied = {item_element(schema, item): item for item in config}
    counts = Counter(element for element, _ in present)
    first = dict(reversed(present))
    result: list[Any] = []
    for element, item in _in_order(present, applied):
        if element not in applied:
            result.append(item)
        elif counts[element] == 1:
            result.append(merged(schema.items, first[element], applied[element]))
        else:
            result.append(applied[element])
    return result


def _in_order(present: Items, applied: dict[str, Any]) -> Items:
    """Return the items of the stored list `present` and of the list `applied`, in the order of the merged list.

    Applied items keep their order, and other items stay before the item that followed them in the stored list. Each
    item is a pair of path element and value; an item of both lists is returned once.
    """
    elements = {element for element, _ in present}
    shared = deque(element for element in applied if element in elements)
    left, right = deque(present), deque(applied.items())
    placed: set[str] = set()
    result: Items = []

    def take_applied() -> None:
        element, item = right.popleft()
        placed.add(element)
        result.append((element, item))
        if shared and shared[0] == element:
            shared.popleft()

    while left or right:
        element = left[0][0] if left else ""
        if left and right and element == right[0][0]:
            left.popleft()
            take_applied()
        elif left and right and element in applied and shared and shared[0] != element:
            left.popleft()
        elif left and element not in applied:
            result.append(left.popleft())
        else:
            if left and element in placed:
                left.popleft()
            if right:
                take_applied()
    return result


def without_items(schema: Schema, value: Any, fields: FieldSet) -> Any:
    """Return a copy of a value without the fields in the set `fields`. Lists and maps that become empty remain."""
    if not value or not isinstance(value, dict | list) or is_atomic(schema, value):
        return value
    if isinstance(value, list):
        return _without_list_items(schema, value, fields) if isinstance(schema, ListSchema) else value
    rest: dict[str, Any] = {}
    for key, item in value.items():
        node = fields.get(f"f:{key}")
        if node is None:
            rest[key] = item
        elif not is_member(node):
            rest[key] = without_items(child_schema(schema, key) or DEDUCED, item, node)
    return rest


def _without_list_items(schema: ListSchema, value: list[Any], fields: FieldSet) -> list[Any]:
    rest: list[Any] = []
    for item in value:
        node = fields.get(item_element(schema, item))
        if node is None:
            rest.append(item)
        elif not is_member(node):
            rest.append(without_items(schema.items, item, node))
    return rest


def pruned(schema: Schema, document: Document, applied_before: FieldSet, owned: FieldSet) -> Document:
    """Return the object without the fields that the applying manager no longer applies and no other manager owns.

    `applied_before` are the fields of the manager's previous apply. `owned` are the fields that managers own now.
    """
    before, claimed = with_named_fields(schema, applied_before), with_named_fields(schema, owned)
    if not difference(before, claimed):
        return document
    present = _present(schema, document)
    rest = without_items(schema, document, before)
    rest = without_items(schema, document, difference(present, union(_present(schema, rest), claimed)))
    given_up = intersection(difference(present, _present(schema, rest)), before)
    result: Document = without_items(schema, document, given_up)
    return result


def pruned_across(
    versions: Versions, document: Document, applied_before: tuple[str, FieldSet], owned: Mapping[str, FieldSet]
) -> Document:
    """Return the object without the fields that the applying manager no longer applies and no other manager owns.

    `applied_before` is the API version of the manager's previous apply, with the fields applied then. `owned` has the
    fields that managers own now, by API version. The object is converted between these versions; raises
    UnfitForVersionError if a conversion fails.
    """
    api_version, fields = applied_before
    if not fields:
        return document
    if owned.keys() == {api_version} == {document["apiVersion"]}:
        return pruned(versions.schema(api_version), document, fields, owned[api_version])
    schema = versions.schema(api_version)
    before = with_named_fields(schema, fields)
    last = versions.convert_checked(
        document, api_version, f"{_PRUNING}{_CONVERTING} merged object to last applied version: "
    )
    rest, whole = without_items(schema, last, before), last
    # `rest` lacks all fields of the previous apply. The loop restores those that a manager still owns, one API version
    # after another. It begins with the version of the previous apply: a conversion to another version may fail as long
    # as fields are missing in that version.
    for version in sorted(owned, key=lambda version: version != api_version):
        own = versions.schema(version)
        where = f"object at version {version}: "
        whole = versions.convert_checked(whole, version, f"{_PRUNING}{_OWNED}{_CONVERTING} merged {where}")
        rest = versions.convert_checked(rest, version, f"{_PRUNING}{_OWNED}{_CONVERTING} pruned {where}")
        kept = union(_present(own, rest), with_named_fields(own, owned[version]))
        rest = without_items(own, whole, difference(_present(own, whole), kept))
    what = f"{_PRUNING}{_DANGLING}{_CONVERTING} pruned object to last applied version: "
    rest = versions.convert_checked(rest, api_version, what)
    given_up = intersection(difference(_present(schema, last), _present(schema, rest)), before)
    return versions.convert_checked(without_items(schema, last, given_up), document["apiVersion"], _PRUNING)


def _present(schema: Schema, document: Document) -> FieldSet:
    return with_named_fields(schema, to_field_set(schema, document))
