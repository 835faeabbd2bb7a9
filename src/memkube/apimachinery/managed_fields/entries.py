"""Entries of an object's managedFields: parsing, serialisation, and adjusting them to a changed schema.

Sources: apimachinery's ``managedfields/internal/managedfields.go``, apiserver's ``handlers/fieldmanager/equality.go``
and structured-merge-diff's ``typed.ReconcileFieldSetWithSchema``.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.managed_fields.field_set import LEAF, FieldSet, InvalidPathElementError, in_order, parsed
from memkube.apimachinery.managed_fields.shapes import element_schema
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Scalar, Schema
from memkube.apimachinery.time import Time

MAX_UPDATERS: Final = 10
ANCIENT: Final = "ancient-changes"
_TEXTS: Final = ("manager", "operation", "apiVersion", "fieldsType", "subresource")

ManagerId: TypeAlias = tuple[str, str, str, str]
"""Identifier of a managedFields entry: manager, operation, API version and subresource.

The API version is "" for the operation Apply, because a manager has only one Apply entry for all versions.
"""


class InvalidManagedFieldsError(ValueError):
    """Raised for malformed managedFields, which the server then ignores as a whole."""


class Entry(NamedTuple):
    """An entry of managedFields: the fields that one manager owns."""

    manager: str
    operation: str
    api_version: str
    subresource: str
    fields: FieldSet
    time: str | None = None
    written: Document | None = None
    """JSON data from which this entry was parsed; None if the entry was not parsed, or changed after parsing."""

    @property
    def id(self) -> ManagerId:
        """Identifier of the managedFields entry. An object has no two entries with the same identifier."""
        version = self.api_version if self.operation == "Update" else ""
        return self.manager, self.operation, version, self.subresource

    def owning(self, fields: FieldSet) -> "Entry":
        """Return a copy of this managedFields entry with `fields` as the owned fields."""
        if fields == self.fields:
            return self
        return Entry(self.manager, self.operation, self.api_version, self.subresource, fields, self.time)

    def at(self, time: str | None) -> "Entry":
        """Return a copy of this managedFields entry with `time` as its time."""
        if time == self.time:
            return self
        return Entry(self.manager, self.operation, self.api_version, self.subresource, self.fields, time)

    def document(self) -> Document:
        """Return the JSON data of the managedFields entry."""
        if self.written is not None:
            return self.written
        document: Document = {"manager": self.manager} if self.manager else {}
        document |= {"operation": self.operation, "apiVersion": self.api_version}
        if self.time is not None:
            document["time"] = self.time
        document |= {"fieldsType": "FieldsV1", "fieldsV1": self.fields}
        if self.subresource:
            document["subresource"] = self.subresource
        return document


Entries: TypeAlias = dict[ManagerId, Entry]


def managed_fields_of(document: Document | None) -> Any:
    """Return the managedFields of an object as JSON data; None if missing."""
    metadata = document.get("metadata") if document else None
    return metadata.get("managedFields") if metadata else None


def stored_entries(document: Document | None) -> Entries:
    """Parse the managedFields of a stored object. They are not validated, because the server wrote them."""
    entries = (_entry(item, item["fieldsV1"]) for item in managed_fields_of(document) or ())
    return {entry.id: entry for entry in entries}


def read_entries(items: list[Document]) -> Entries:
    """Parse the managedFields that a client sent. Raises InvalidManagedFieldsError if they are malformed."""
    entries: Entries = {}
    for item in items:
        if item.get("operation") not in ("Apply", "Update") or not item.get("apiVersion"):
            raise InvalidManagedFieldsError("a managedFields entry must have an operation and an apiVersion")
        if item.get("fieldsType") != "FieldsV1":
            raise InvalidManagedFieldsError("the fieldsType of a managedFields entry must be FieldsV1")
        fields = item.get("fieldsV1")
        entry = _entry({**item, "fieldsV1": None}, {} if fields is None else read_fields(fields))
        entries[entry.id] = entry._replace(written=None)
    return entries


def is_entry(item: Any) -> bool:
    """True if `item` can be decoded as a managedFields entry: each field is null or has the right type."""
    if not isinstance(item, dict):
        return False
    time = item.get("time")
    try:
        return all(isinstance(item.get(name), str | None) for name in _TEXTS) and (
            time is None or bool(Time.parse(time))
        )
    except ValueError:
        return False


def clears(items: Any) -> bool:
    """True if a client clears managedFields by sending an empty list or one empty entry."""
    if not isinstance(items, list):
        return False
    return not items or (len(items) == 1 and all(value in (None, "") for value in items[0].values()))


def read_fields(fields: Any) -> FieldSet:
    """Parse a FieldsV1 that a client sent, and sort it. Path elements of unknown type are dropped.

    Raises InvalidManagedFieldsError if it is malformed.
    """
    return _read_node(fields)[0]


def written_entries(entries: Iterable[Entry]) -> list[Document]:
    """Serialise managedFields entries, sorted as Kubernetes sorts them."""
    ordered = sorted(entries, key=lambda e: (e.operation, e.time or "", e.manager, e.api_version, e.subresource))
    return [entry.document() for entry in ordered]


def _entry(item: Document, fields: FieldSet) -> Entry:
    return Entry(
        item.get("manager", ""),
        item["operation"],
        item["apiVersion"],
        item.get("subresource", ""),
        fields,
        item.get("time"),
        item,
    )


def _read_node(fields: Any) -> tuple[FieldSet, bool]:
    """Parse `fields`, the value of one field in a FieldsV1: a JSON object whose keys are the owned fields inside it.

    Return the set of these fields, and True if the field itself is owned too: if the object has the key ``.``, or no
    fields. Raises InvalidManagedFieldsError if the object is malformed.
    """
    if fields is None:
        return {}, True
    if not isinstance(fields, dict):
        raise InvalidManagedFieldsError("fieldsV1 and its fields must be JSON objects")
    node: FieldSet = {}
    for key, value in fields.items():
        if key == ".":
            continue
        try:
            element = parsed(key)
        except InvalidPathElementError as error:
            raise InvalidManagedFieldsError(str(error)) from error
        if element is not None:
            children, member = _read_node(value)
            node[element] = LEAF if not children else {".": LEAF, **children} if member else children
    return in_order(node), "." in fields or not node


def keep_timestamps(live: Document, new: Document) -> Document:
    """Return the object `new`; with the stored times, if it differs from `live` only in the times of managedFields.

    `live` is the stored object. An object with its times equals it, so that the update counts as no change.
    """
    stored, entries = managed_fields_of(live), managed_fields_of(new)
    if not entries or not stored or entries == stored or len(entries) != len(stored):
        return new
    if any(_untimed(one) != _untimed(other) for one, other in zip(stored, entries, strict=True)):
        return new
    kept = {**new, "metadata": {**new["metadata"], "managedFields": stored}}
    return kept if kept == live else new


def _untimed(entry: Document) -> Document:
    return {name: value for name, value in entry.items() if name != "time"}


def reconciled(schema: Schema, entries: Entries) -> Entries:
    """Return the managedFields entries adjusted to a changed schema.

    If a value has become atomic in the schema, an entry that owns fields inside the value owns the whole value instead.
    """
    return {manager: entry.owning(_joined(schema, entry.fields)) for manager, entry in entries.items()}


def of_versions(entries: Entries, schemas: Mapping[str, Schema]) -> Entries:
    """Return the managedFields entries whose API version is in `schemas`, each adjusted to the schema of its version.

    Entries with an API version that `schemas` lacks are dropped. Raises InvalidManagedFieldsError if an apiVersion is
    malformed.
    """
    for entry in entries.values():
        if entry.api_version.count("/") > 1:
            raise InvalidManagedFieldsError(f"unexpected GroupVersion string: {entry.api_version}")
    return {
        manager: entry.owning(_joined(schemas[entry.api_version], entry.fields))
        for manager, entry in entries.items()
        if entry.api_version in schemas
    }


def of_group(entries: Entries, api_version: str) -> Entries:
    """Return the managedFields entries in the API group of `api_version`.

    Entries of other groups are dropped, because no schema is known for their fields.
    """
    group = api_version.rpartition("/")[0]
    if all(entry.api_version.rpartition("/")[0] == group for entry in entries.values()):
        return entries
    return {manager: entry for manager, entry in entries.items() if entry.api_version.rpartition("/")[0] == group}


def _joined(schema: Schema, fields: FieldSet) -> FieldSet:
    return {element: _joined_below(element_schema(schema, element), node) for element, node in fields.items()}


def _joined_below(schema: Schema | None, node: FieldSet) -> FieldSet:
    if schema is None or isinstance(schema, Scalar) or not node:
        return node
    if schema.relationship == "atomic":
        return LEAF
    return {
        element: below if element == "." else _joined_below(element_schema(schema, element), below)
        for element, below in node.items()
    }
