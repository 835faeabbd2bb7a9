"""Storage indices of objects by label and by selectable field (apiserver ``SelectionPredicate``)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from memkube.registry.declarations.request_options import Selection
from memkube.registry.declarations.resource import ReadFields, Resource
from memkube.registry.objects.stored import StoredObject
from memkube.storage.interface import MatchValue

Match: TypeAlias = MatchValue[StoredObject]
_FIELDS_OF_KEYS: Final = ("metadata.namespace",)
"""Selectable fields that are part of an object's storage key and therefore need no index."""


class LabelIndex(NamedTuple):
    """Index of objects by the value of one label: see :class:`memkube.storage.interface.Index`."""

    prefix: str
    label: str

    def of(self, stored: StoredObject) -> str | None:
        return stored.labels.get(self.label)


class FieldIndex(NamedTuple):
    """Index of objects by the value of one field: see :class:`memkube.storage.interface.Index`."""

    prefix: str
    field: str
    fields_of: ReadFields

    def of(self, stored: StoredObject) -> str | None:
        return self.fields_of(stored.document).get(self.field, "")


def declared_indices(resources: Iterable[Resource]) -> list[FieldIndex]:
    """Return the indices of the fields that the resources declare as ``indexed``: storage has them from the start."""
    return [FieldIndex(r.key_prefix, field, r.fields.read) for r in resources for field in r.fields.indexed]


def matches_of(selection: Selection, resource: Resource) -> Sequence[Match]:
    """Return index lookups, each of which finds all objects that the selectors match, and possibly further objects.

    Lookups of equal values (``app=web``) precede lookups of unequal values (``app!=web``).
    """
    return sorted(_matches(selection, resource), key=lambda match: match.negated)


def match_of(selection: Selection, resource: Resource) -> Match | None:
    """Return an index lookup that finds all objects that the selectors match, and possibly further objects.

    The lookup is for one value of a label or field, such as ``app=web``. Return None if the selectors contain no such
    requirement.
    """
    return next((match for match in _matches(selection, resource) if not match.negated), None)


def _matches(selection: Selection, resource: Resource) -> Iterator[Match]:
    prefix = resource.key_prefix
    if selection.fields is not None:
        fields_of = resource.fields.read
        for term in selection.fields.requirements:
            if term.field not in _FIELDS_OF_KEYS:
                yield MatchValue(FieldIndex(prefix, term.field, fields_of), term.value, term.operator == "!=")
    if selection.labels is not None:
        for wanted in selection.labels.requirements:
            if wanted.operator in ("=", "in") and len(wanted.values) == 1:
                yield MatchValue(LabelIndex(prefix, wanted.key), wanted.values[0])
