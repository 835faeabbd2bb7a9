"""Who writes an object, and what of it cannot be owned."""

from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.managed_fields.entries import Entry
from memkube.apimachinery.managed_fields.field_set import FieldSet, difference, field_set

_NEVER_OWNED: Final = field_set(
    "apiVersion",
    "kind",
    "metadata",
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("metadata", "creationTimestamp"),
    ("metadata", "selfLink"),
    ("metadata", "uid"),
    ("metadata", "clusterName"),
    ("metadata", "generation"),
    ("metadata", "managedFields"),
    ("metadata", "resourceVersion"),
)


@dataclass(frozen=True, slots=True)
class Writer:
    """The manager behind a request, the version, kind and subresource that it writes, and when."""

    manager: str
    api_version: str
    kind: str
    time: str
    subresource: str = ""
    reset_fields: FieldSet | None = None
    """The fields that the strategy resets: the writer doesn't get to own them, nor what is below them."""

    def entry(self, operation: str, fields: FieldSet) -> Entry:
        """What this writer owns, without a time."""
        return Entry(self.manager or "unknown", operation, self.api_version, self.subresource, fields)


def ownable(fields: FieldSet) -> FieldSet:
    """The fields without those that say what an object is, which nobody owns."""
    if fields.keys().isdisjoint(_NEVER_OWNED):
        return fields
    return difference(fields, _NEVER_OWNED)
