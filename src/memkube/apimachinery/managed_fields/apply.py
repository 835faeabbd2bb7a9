"""Server-side apply with its conflicts, and the migration from client-side apply.

Sources: structured-merge-diff's ``merge.Updater.Apply`` and apimachinery's ``managedfields``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Final, NamedTuple

import orjson

from memkube.apimachinery.managed_fields.compare import compare
from memkube.apimachinery.managed_fields.creation import to_field_set
from memkube.apimachinery.managed_fields.entries import (
    Entries,
    Entry,
    InvalidManagedFieldsError,
    is_entry,
    managed_fields_of,
    of_versions,
    stored_entries,
    written_entries,
)
from memkube.apimachinery.managed_fields.field_set import (
    FieldSet,
    difference,
    has_path,
    intersection,
    paths,
    recursive_difference,
    shown_path,
    union,
)
from memkube.apimachinery.managed_fields.merge import merged, pruned, pruned_across
from memkube.apimachinery.managed_fields.shapes import MissingKeysError, violations, zero_value
from memkube.apimachinery.managed_fields.update import (
    ChangesIn,
    Writer,
    ownable,
    reconciled_across,
    remove_ownership,
    update_entries,
)
from memkube.apimachinery.managed_fields.versions import UnfitForVersionError
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Schema
from memkube.apimachinery.shown_values import quoted

ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
MANAGER: Final = "kubectl"
_MAX_SIZE: Final = 256 * 1024
_HTML_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_FIRST = "before-first-apply"


class Conflict(NamedTuple):
    """A field that server-side apply would change, although another manager owns it.

    `manager` describes the other manager for the error message. `field` is the path of the field as text, and `path`
    consists of the path's elements.
    """

    manager: str
    field: str
    path: tuple[str, ...]


class ApplyConflict(Exception):
    """Raised if server-side apply would change fields that other managers own (status 409).

    Each conflict becomes a cause FieldManagerConflict of the Status.
    """

    code: ClassVar[int] = 409
    reason: ClassVar[str] = "Conflict"

    def __init__(self, conflicts: list[Conflict]) -> None:
        super().__init__(_message(conflicts))
        self.conflicts = conflicts

    @property
    def message(self) -> str:
        """Message of the Status that the client gets; it names the other managers and the fields."""
        return str(self)

    @property
    def causes(self) -> list[tuple[str, str, str]]:
        """Causes of the Status body, each with reason, message and field."""
        return [("FieldManagerConflict", f"conflict with {c.manager}", c.field) for c in self.conflicts]


@dataclass
class ApplyError(Exception):
    """Raised if an apply request is rejected. `reason` is empty if Kubernetes' Status has no reason."""

    code: int
    reason: str
    message: str

    def __str__(self) -> str:
        return self.message


def conflicts_of(entries: Entries, changed_in: Callable[[str], FieldSet]) -> list[Conflict]:
    """Return a Conflict for each changed field that a manager in `entries` owns, grouped by manager.

    `changed_in` is a function that takes an API version, and returns the changed fields of the object in that version.
    """
    return list(_conflicts(sorted(entries.values(), key=_identifier), changed_in))


def _conflicts(entries: list[Entry], changed_in: Callable[[str], FieldSet]) -> Iterator[Conflict]:
    for entry in entries:
        for path in paths(intersection(entry.fields, changed_in(entry.api_version))):
            yield Conflict(_described(entry), shown_path(path), path)


def _described(entry: Entry) -> str:
    text = quoted(entry.manager)
    if entry.subresource:
        text += f" with subresource {quoted(entry.subresource)}"
    return f"{text} using {entry.api_version}" if entry.operation == "Update" else text


def _identifier(entry: Entry) -> bytes:
    """Return the JSON text that identifies a managedFields entry, by which Kubernetes sorts the entries."""
    manager, operation, version, subresource = entry.id
    fields = {"manager": manager, "operation": operation, "apiVersion": version, "subresource": subresource}
    return orjson.dumps({name: value for name, value in fields.items() if value})


def _message(conflicts: list[Conflict]) -> str:
    if len(conflicts) == 1:
        return f"Apply failed with 1 conflict: conflict with {conflicts[0].manager}: {conflicts[0].field}"
    lines: list[str] = []
    for conflict in conflicts:
        heading = f"conflicts with {conflict.manager}:"
        if heading not in lines:
            lines.append(heading)
        lines.append(f"- {conflict.field}")
    return f"Apply failed with {len(conflicts)} conflicts: {chr(10).join(lines)}"


def client_side_applied_fields(schema: Schema, live: Document, api_version: str) -> FieldSet | None:
    """Return the fields that kubectl set by its last client-side apply and that have not changed since then.

    `live` is the stored object. Returns None if it has no valid last-applied annotation for the version `api_version`.
    """
    text = _annotations(live).get(ANNOTATION)
    if not text or violations(schema, live):
        return None
    try:
        last = orjson.loads(text)
    except ValueError:
        return None
    if not isinstance(last, dict) or last.get("apiVersion") != api_version or violations(schema, last):
        return None
    changes = compare(schema, last, live)
    return difference(difference(to_field_set(schema, last), changes.set), changes.removed)


def update_last_applied(document: Document, config: Document) -> Document:
    """Return the object with the applied configuration `config` as JSON in its last-applied annotation.

    An object without this annotation is returned unchanged. If the annotations would become too large, the last-applied
    annotation is removed instead.
    """
    annotations = _annotations(document)
    if not annotations.get(ANNOTATION):
        return document
    updated = {**annotations, ANNOTATION: _written(config)}
    if sum(len(key.encode()) + len(str(value).encode()) for key, value in updated.items()) > _MAX_SIZE:
        del updated[ANNOTATION]
    return {**document, "metadata": {**document["metadata"], "annotations": updated}}


def _written(config: Document) -> str:
    annotations = _annotations(config)
    if ANNOTATION in annotations:
        rest = {key: value for key, value in annotations.items() if key != ANNOTATION}
        config = {**config, "metadata": {**config["metadata"], "annotations": rest}}
    return orjson.dumps(config, option=orjson.OPT_SORT_KEYS).decode().translate(_HTML_ESCAPES) + "\n"


def _annotations(document: Document) -> dict[str, Any]:
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}


def apply(schema: Schema, live: Document | None, config: Document, writer: Writer, *, force: bool) -> Document:
    """Return the stored object with the applied configuration `config`, and with updated managedFields.

    `live` is the stored object, or None if the object does not exist. `schema` is the schema of the kind, and `writer`
    describes the request. The caller must decode the result and set defaults in it. Raises ApplyConflict if `force` is
    false and fields would change that other managers own, and ApplyError if the configuration or the stored object is
    invalid.
    """
    _check_kind(config, writer)
    _check_unowned(config)
    if not managed_fields_of(live):
        # If the object has no managedFields, Kubernetes checks the stored object before the applied configuration, and
        # with another message.
        _check_live(schema, live, writer)
    _check_config(schema, config)
    _check_live(schema, live, writer)
    try:
        result = _applied(schema, live, config, writer, force)
    except ApplyConflict as error:
        rest = _client_side_conflicts(schema, live, writer, error)
        if rest:
            raise ApplyConflict(rest) from error
        result = _applied(schema, live, config, writer, force=True)
    return update_last_applied(result, config) if writer.manager == MANAGER else result


def _applied(schema: Schema, live: Document | None, config: Document, writer: Writer, force: bool) -> Document:
    before = zero_value(schema) if live is None else live
    try:
        entries = _entries(schema, live, writer)
        mine = writer.entry("Apply", _configured(schema, config, writer))
        last = entries.get(mine.id)
        claims = {**entries, mine.id: mine}
        owned: FieldSet = reduce(union, (entry.fields for entry in claims.values()), {})
        new = merged(schema, before, config)
        versions = writer.versions or writer.built_in_versions(schema)
        if last is not None and versions is not None:
            new = pruned_across(versions, new, (last.api_version, last.fields), _owned_by_version(claims))
        else:
            new = pruned(schema, new, last.fields if last else {}, owned)
        changes = compare(schema, before, new).without(writer.reset_fields)
        rest = _take_ownership(writer.changes_in(changes, live, new), claims, mine, force)
    except (InvalidManagedFieldsError, MissingKeysError, UnfitForVersionError) as error:
        raise ApplyError(500, "", str(error)) from error
    fields = ownable(mine.fields)
    if fields:
        unchanged = live is not None and new == live
        time = (last.time if last else None) if unchanged else writer.time
        kept = last.owning(fields) if last and last.api_version == mine.api_version else mine._replace(fields=fields)
        rest[mine.id] = kept.at(time)
    else:
        rest.pop(mine.id, None)
    return _with_managed_fields(new, rest)


def _take_ownership(changes_in: ChangesIn, claims: Entries, mine: Entry, force: bool) -> Entries:
    """Return the managedFields entries after an apply: all managers except the applying one lose the changed fields.

    `claims` are the entries of all managers before these fields are removed, and `mine` is the applying manager's entry
    among them. `changes_in` is a function that takes an API version, and returns the changed fields of the object in
    that version. Raises ApplyConflict if another manager owns a changed field and `force` is false.
    """
    if not force:
        others = {manager: entry for manager, entry in claims.items() if manager != mine.id}
        conflicts = conflicts_of(others, lambda api_version: changes_in(api_version).set)
        if conflicts:
            raise ApplyConflict(conflicts)
    return remove_ownership(claims, changes_in, keeps=mine.id)


def _entries(schema: Schema, live: Document | None, writer: Writer) -> Entries:
    """Return the managedFields entries that the stored object `live` has before an apply; none if `live` is None.

    If the object exists and has no managedFields, the manager ``before-first-apply`` owns all its fields. `writer`
    describes the apply request.
    """
    entries = stored_entries(live)
    if live is not None and writer.versions is not None and entries:
        return reconciled_across(entries, live, writer.versions)
    if live is None or entries:
        return of_versions(entries, writer.schemas(schema))
    return update_entries(schema, None, live, {}, writer._replace(manager=_FIRST))


def _owned_by_version(claims: Entries) -> dict[str, FieldSet]:
    owned: dict[str, FieldSet] = {}
    for entry in claims.values():
        owned[entry.api_version] = union(owned.get(entry.api_version, {}), entry.fields)
    return owned


def _configured(schema: Schema, config: Document, writer: Writer) -> FieldSet:
    fields = to_field_set(schema, config)
    return recursive_difference(fields, writer.reset_fields) if writer.reset_fields else fields


def _check_kind(config: Document, writer: Writer) -> None:
    version, kind = config.get("apiVersion"), config.get("kind")
    if version != writer.api_version or kind != writer.kind:
        raise ApplyError(400, "BadRequest", f"invalid object type: {_shown_kind(config)}")


def _shown_kind(config: Document) -> str:
    version, kind = config.get("apiVersion"), config.get("kind")
    version = version if isinstance(version, str) else ""
    if version.count("/") > 1:
        return "/, Kind="
    group, _, version = version.rpartition("/")
    return f"{group}/{version}, Kind={kind if isinstance(kind, str) else ''}"


def _check_unowned(config: Document) -> None:
    managed = managed_fields_of(config) if isinstance(config.get("metadata"), dict) else None
    # An applied configuration must not contain managedFields. As in Kubernetes, this is an error only if all entries
    # can be decoded; managedFields with values of wrong types are ignored.
    if isinstance(managed, list) and all(is_entry(entry) for entry in managed):
        raise ApplyError(400, "BadRequest", "metadata.managedFields must be nil")


def _check_config(schema: Schema, config: Document) -> None:
    problems = violations(schema, config)
    if problems:
        metadata = config["metadata"] if isinstance(config.get("metadata"), dict) else {}
        names = [metadata.get(field) for field in ("namespace", "name")]
        shown = "/".join(name if isinstance(name, str) else "" for name in names)
        message = f"failed to create typed patch object ({shown}; {_shown_kind(config)}): {problems}"
        raise ApplyError(500, "", message)


def _check_live(schema: Schema, live: Document | None, writer: Writer) -> None:
    """Raise ApplyError if `live`, the stored custom object, does not match the current schema of its CRD."""
    if live is None or writer.versions is None:
        return
    if problems := violations(schema, _with_managed_fields(live, {}), repeats=True):
        metadata = live["metadata"]
        shown = f"{metadata.get('namespace', '')}/{metadata['name']}; {_shown_kind(live)}"
        if managed_fields_of(live):
            raise ApplyError(500, "", f"failed to create typed live object ({shown}): {problems}")
        what = f"failed to convert new object ({shown}) to smd typed: {problems}"
        raise ApplyError(500, "", f"failed to create manager for existing fields: {what}")


def _client_side_conflicts(schema: Schema, live: Document | None, writer: Writer, error: ApplyConflict) -> list[Any]:
    """Return the conflicts in `error` that remain if kubectl changes from client-side to server-side apply.

    If the request, which `writer` describes, is a server-side apply of kubectl, conflicts are dropped for the fields
    that kubectl's last client-side apply has set in the stored object `live`. For requests of all other managers, all
    conflicts are returned.
    """
    if writer.manager != MANAGER or live is None:
        return error.conflicts
    allowed = client_side_applied_fields(schema, live, writer.api_version)
    if allowed is None:
        return error.conflicts
    return [conflict for conflict in error.conflicts if not has_path(allowed, conflict.path)]


def _with_managed_fields(document: Document, entries: Entries) -> Document:
    present = document.get("metadata") or {}
    metadata = {name: value for name, value in present.items() if name != "managedFields"}
    if entries:
        metadata["managedFields"] = written_entries(entries.values())
    return {**document, "metadata": metadata}
