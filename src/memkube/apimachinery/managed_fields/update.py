"""Update of managedFields after a create, a replacement or any patch except apply.

Sources: apimachinery's ``managedfields/internal`` (the chain of managers in ``fieldmanager.go``) and
structured-merge-diff's ``merge.Updater.Update``.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.managed_fields.compare import Comparison, compare
from memkube.apimachinery.managed_fields.creation import addition_walker, creation_walker
from memkube.apimachinery.managed_fields.entries import (
    ANCIENT,
    MAX_UPDATERS,
    Entries,
    Entry,
    InvalidManagedFieldsError,
    ManagerId,
    clears,
    managed_fields_of,
    of_group,
    of_versions,
    read_entries,
    reconciled,
    stored_entries,
    written_entries,
)
from memkube.apimachinery.managed_fields.field_set import (
    FieldSet,
    covers,
    difference,
    field_set,
    in_order,
    recursive_difference,
    union,
)
from memkube.apimachinery.managed_fields.shapes import MissingKeysError, zero_value
from memkube.apimachinery.managed_fields.versions import BuiltInVersions, OtherVersion, UnfitForVersionError, Versions
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Schema, StructSchema

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
_UNOWNED_METADATA: Final = frozenset(element[2:] for element in _NEVER_OWNED["f:metadata"] if element != ".")


ChangesIn: TypeAlias = Callable[[str], Comparison]
"""Function that takes an API version, and returns the changed fields of an object in that version."""


class Writer(NamedTuple):
    """Field manager of a request, with the API version, kind, subresource and time of the write."""

    manager: str
    api_version: str
    kind: str
    time: str
    subresource: str = ""
    reset_fields: FieldSet | None = None
    """Fields whose values the server ignores in this write. The manager owns neither them nor fields below them."""
    other_versions: Mapping[str, OtherVersion] = MappingProxyType({})
    """API versions of a built-in kind whose fields differ from those of the version that the client wrote."""
    versions: Versions | None = None
    """All versions of a custom kind, between which objects are converted on demand; None for built-in kinds."""

    def changes_in(self, changes: Comparison, before: Document | None, after: Document) -> ChangesIn:
        """Return a function that takes an API version, and returns the changed fields of the object in that version.

        `changes` are the changed fields in the version that the client wrote. For another version, the function
        converts the object to that version and compares it: `before` and `after` are the object before and after the
        write.
        """
        known = {self.api_version: changes}
        versions = self.versions

        def changes_between(api_version: str) -> Comparison:
            assert versions is not None
            assert before is not None
            if api_version not in known:
                old = versions.convert_checked(_untracked(before), api_version, "failed to convert old object: ")
                new = versions.convert_checked(_untracked(after), api_version, "failed to convert new object: ")
                reset = self.reset_fields if self.subresource and versions.has_status(api_version) else None
                known[api_version] = compare(versions.schema(api_version), old, new).without(reset)
            return known[api_version]

        def changes_in(api_version: str) -> Comparison:
            other = self.other_versions.get(api_version)
            if other is None or api_version in known:
                return known.get(api_version, changes)
            old = zero_value(other.schema) if before is None else other.convert(before)
            new = other.convert(after)
            known[api_version] = compare(other.schema, _untracked(old), _untracked(new)).without(self.reset_fields)
            return known[api_version]

        return changes_in if versions is None or before is None else changes_between

    def schemas(self, own: Schema) -> dict[str, Schema]:
        """Return the schemas of a built-in kind by API version; `own` is that of the version that the client wrote."""
        others = {name: other.schema for name, other in self.other_versions.items()}
        return {**others, self.api_version: own}

    def built_in_versions(self, own: Schema) -> Versions | None:
        """Return the versions of the written object's kind, if it is a built-in kind whose fields differ by version.

        Returns None for all other kinds. `own` is the schema of the version that the client wrote.
        """
        return BuiltInVersions(self.api_version, own, self.other_versions) if self.other_versions else None

    def created(self, fields: FieldSet) -> Document:
        """Return the managedFields entry of a new object, by which this manager owns `fields`."""
        return Entry(self.manager or "unknown", "Update", self.api_version, "", fields, self.time).document()

    def entry(self, operation: str, fields: FieldSet) -> Entry:
        """Return a managedFields entry without a time, with which this manager owns `fields`.

        `operation` is Apply or Update.
        """
        return Entry(self.manager or "unknown", operation, self.api_version, self.subresource, fields)


def ownable(fields: FieldSet) -> FieldSet:
    """Return the field set without the fields that no manager can own, such as name and uid."""
    metadata = fields.get("f:metadata")
    if "f:apiVersion" in fields or "f:kind" in fields:
        return difference(fields, _NEVER_OWNED)
    if metadata is None or (metadata and metadata.keys().isdisjoint(_NEVER_OWNED["f:metadata"])):
        return fields
    return difference(fields, _NEVER_OWNED)


def _with_owners(document: Document) -> Document:
    """Return the object without the fields that no manager can own: apiVersion, kind, and metadata such as name."""
    rest = {name: value for name, value in document.items() if name not in ("apiVersion", "kind")}
    metadata = document.get("metadata")
    if metadata:
        rest["metadata"] = {name: value for name, value in metadata.items() if name not in _UNOWNED_METADATA}
    return rest


def fields_of_new(schema: Schema, part: Document) -> FieldSet | None:
    """Return the fields that the creator of a new object owns; None if list items lack their key fields.

    `part` is the whole object, or only some of its top-level fields.
    """
    try:
        return _created(schema, part)
    except MissingKeysError:
        return None


def record_update(
    schema: Schema, live: Document | None, new: Document, writer: Writer, known: FieldSet | None = None
) -> list[Document]:
    """Return the new managedFields of an object after an update; empty if the object's fields are not tracked.

    `live` is the stored object, or None for a create. `new` is the object after the update, with the managedFields that
    the client sent: an empty list or one empty entry stops tracking, valid entries replace the stored ones (except
    through a subresource), and malformed ones are ignored. `known` is the result of `fields_of_new` for the new object,
    if the caller has already called it.
    """
    sent = None if writer.subresource else managed_fields_of(new)
    if live is None and not sent:
        return _record_create(schema, new, writer, known)
    entries, stored = _entries(live, sent)
    if live is not None and not entries:
        return []
    if live is None and writer.versions is not None:
        # As in Kubernetes, a new custom object is compared with an object that has only apiVersion and kind. That
        # object is sent to conversion webhooks too, if the client's entries have other API versions.
        live = {"apiVersion": writer.api_version, "kind": writer.kind}
    try:
        if live is not None and writer.versions is not None:
            entries = reconciled_across(entries, live, writer.versions)
        elif stored:
            entries = of_group(entries, writer.api_version)
        else:
            entries = of_versions(entries, writer.schemas(schema))
        updated = update_entries(schema, live, new, entries, writer)
    except (InvalidManagedFieldsError, MissingKeysError, UnfitForVersionError):
        return []
    return written_entries(_capped(updated).values())


def update_entries(schema: Schema, live: Document | None, new: Document, entries: Entries, writer: Writer) -> Entries:
    """Return the managedFields entries after an update. The writer becomes the only owner of the changed fields.

    `entries` are the entries before the update, `live` the stored object (None for a create), and `new` the object
    after the update.
    """
    changes = _changes(schema, live, new).without(writer.reset_fields)
    changed = changes.set
    fields = ownable(changed)
    mine = writer.entry("Update", fields)
    before = entries.get(mine.id) if fields else None
    owns_all = before is not None and fields is changed and not changes.removed and covers(before.fields, fields)
    rest = remove_ownership(entries, writer.changes_in(changes, live, new), keeps=mine.id if owns_all else None)
    if before is not None and owns_all:
        rest[mine.id] = before.at(writer.time)
    elif fields:
        before = rest.get(mine.id)
        both = mine if before is None else before.owning(union(fields, before.fields))
        rest[mine.id] = both.at(writer.time)
    return rest


def remove_ownership(entries: Entries, changes_in: ChangesIn, keeps: ManagerId | None = None) -> Entries:
    """Return the managedFields entries without the changed fields; only the entry of the manager `keeps` keeps them.

    `changes_in` is a function that takes an API version, and returns the changed fields of the object in that version.
    Entries that become empty are dropped.
    """
    rest: Entries = {}
    changed: dict[str, FieldSet] = {}
    for manager, entry in entries.items():
        if manager == keeps:
            fields = entry.fields
        else:
            version = entry.api_version
            if version not in changed:
                changes = changes_in(version)
                changed[version] = union(changes.set, changes.removed)
            fields = difference(entry.fields, changed[version])
        if fields:
            rest[manager] = entry.owning(fields)
    return rest


def reconciled_across(entries: Entries, live: Document, versions: Versions) -> Entries:
    """Return the managedFields entries of the custom object `live`, adjusted to the current schemas of their versions.

    Raises UnfitForVersionError if the object cannot be converted to the API version of one of the entries.
    """
    for api_version in {entry.api_version for entry in entries.values()}:
        versions.convert_checked(_untracked(live), api_version)
    return {
        manager: one
        for manager, entry in entries.items()
        for one in reconciled(versions.schema(entry.api_version), {manager: entry}).values()
    }


def _record_create(schema: Schema, new: Document, writer: Writer, known: FieldSet | None) -> list[Document]:
    rest = _with_owners(new)
    if known:
        rest = {name: value for name, value in rest.items() if f"f:{name}" not in known}
    fields = fields_of_new(schema, rest)
    if fields is None:
        return []
    if known:
        fields = in_order({**fields, **known})
    fields = ownable(recursive_difference(fields, writer.reset_fields) if writer.reset_fields else fields)
    return [writer.entry("Update", fields).at(writer.time).document()] if fields else []


def _created(schema: Schema, new: Document) -> FieldSet:
    if isinstance(schema, StructSchema):
        return creation_walker(schema)(new)
    return {element: node for element, node in addition_walker(schema)(new).items() if element != "."}


def _changes(schema: Schema, live: Document | None, new: Document) -> Comparison:
    if live is None:
        return Comparison(_created(schema, new), {}, {})
    return compare(schema, live, _with_managed_fields_of(new, live))


def _with_managed_fields_of(new: Document, live: Document) -> Document:
    """Return the object `new` with the managedFields of `live`, the stored object.

    In a comparison of the two objects, managedFields then do not count as changed.
    """
    tracked = managed_fields_of(live)
    if tracked is not None and "metadata" in new:
        return {**new, "metadata": {**new["metadata"], "managedFields": tracked}}
    return _untracked(new)


def _untracked(document: Document) -> Document:
    """Return the object without managedFields."""
    if managed_fields_of(document) is None:
        return document
    metadata = {name: value for name, value in document["metadata"].items() if name != "managedFields"}
    return {**document, "metadata": metadata}


def _entries(live: Document | None, sent: object) -> tuple[Entries, bool]:
    """Return the managedFields entries on which an update is based, and False if they come from the client.

    `live` is the stored object, and `sent` are the managedFields that the client sent. The client's entries are used if
    they are valid and differ from the stored ones; otherwise the stored entries are used. If the client cleared
    managedFields, the result has no entries.
    """
    if clears(sent):
        return {}, True
    if isinstance(sent, list) and sent != managed_fields_of(live):
        with suppress(InvalidManagedFieldsError):
            return read_entries(sent), False
    return stored_entries(live), True


def _capped(entries: Entries) -> Entries:
    """Limit the number of entries with the operation Update: merge the oldest ones of each API version into one."""
    updaters = [entry for entry in entries.values() if entry.operation == "Update"]
    if len(updaters) <= MAX_UPDATERS:
        return entries
    capped, count = dict(entries), len(updaters)
    oldest: dict[str, ManagerId] = {}
    for entry in sorted(updaters, key=lambda entry: (entry.time or "", entry.id)):
        if count <= MAX_UPDATERS:
            break
        if entry.api_version not in oldest:
            oldest[entry.api_version] = entry.id
            continue
        bucket = Entry(ANCIENT, "Update", entry.api_version, "", {})
        earlier = capped.get(bucket.id) or capped.pop(oldest[entry.api_version])
        del capped[entry.id]
        capped[bucket.id] = bucket.owning(union(entry.fields, earlier.fields)).at(entry.time)
        count -= 1
    return capped
