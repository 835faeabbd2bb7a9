"""The history of an object: its revisions in the event log."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.errors import expired
from memkube.apimachinery.model import Document
from memkube.registry.named_stores import named_store
from memkube.registry.reads.object_events import ObjectEvent, object_events
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.telemetry.differences import differing_lines
from memkube.telemetry.request_log import RequestLog

_WRITES: Final = frozenset({"create", "update", "patch", "delete"})
_REFUSED: Final = 400


@dataclass(frozen=True, slots=True)
class ObjectRevision:
    """One revision of an object, as created, updated or deleted by a request."""

    revision: int
    what: str
    """Type of the change: ``created``, ``updated`` or ``deleted``."""
    by: str
    """Client and verb of the request that made the change; empty if the request is no longer in the request log."""
    diff: Sequence[str]
    """Changed lines of the object's YAML, without metadata that the server sets."""
    document: Document
    """The object at this revision; for a deletion, its last state."""

    def __str__(self) -> str:
        """Return a one-line summary of the revision, followed by the changed lines."""
        head = f"{self.revision} {self.what}" + (f" by {self.by}" if self.by else "")
        return "\n".join([head, *(f"    {line}" for line in self.diff)])


@dataclass(frozen=True, slots=True)
class ObjectHistory:
    """The revisions of an object in the event log, oldest first."""

    revisions: Sequence[ObjectRevision]
    complete_since: int
    """Revision after which the history has all changes; 0 if it has all since the creation of the storage."""

    def __iter__(self) -> Iterator[ObjectRevision]:
        return iter(self.revisions)

    def __len__(self) -> int:
        return len(self.revisions)

    def __getitem__(self, index: int) -> ObjectRevision:
        """Return the revision at an index. Raises IndexError if the index is out of range."""
        return self.revisions[index]

    def __str__(self) -> str:
        """Return the text of all revisions, one after another."""
        return "\n".join(map(str, self.revisions))


async def object_history(
    registry: Registry, log: RequestLog, resource: str, name: str, namespace: str = "default", since: int = 0
) -> ObjectHistory:
    """Return the revisions of an object after revision `since`; 0 for all in the event log.

    Raises ApiError 410 if changes after `since`, or all changes of the object, have been compacted; 404 for an unknown
    resource, and for an object that has never existed.
    """
    store = named_store(registry, resource)
    namespace = namespace if store.resource.namespaced else ""
    events, oldest = await object_events(store, store.key(namespace, name), since)
    if not events and not since:
        # This read raises ApiError 404 if the object does not exist.
        await store.get(namespace, name)
        subject = f"{store.resource.group_resource} {name}"
        raise expired(f"all changes of {subject} are compacted, as is all history up to revision {oldest}")
    callers = _callers(log, store, name)
    return ObjectHistory([_revision(event, callers) for event in events], oldest)


def _callers(log: RequestLog, store: Store, name: str) -> dict[int, str]:
    """Find the client and verb of the request that wrote each revision of the object, in the request log."""
    plural, callers = store.resource.plural, {}
    for record in log.records():
        target = record.target
        is_about_it = target.resource == plural and target.name in (name, "") and record.verb in _WRITES
        if is_about_it and record.revision and record.code < _REFUSED and not record.dry_run:
            what = "/".join(filter(None, (plural, target.subresource)))
            callers[record.revision] = f"{record.client} ({record.verb} {what})"
    return callers


def _revision(event: ObjectEvent, callers: dict[int, str]) -> ObjectRevision:
    is_gone = event.type == "deleted"
    before = event.value if is_gone else event.previous
    diff = differing_lines(before, None if is_gone else event.value)
    return ObjectRevision(event.revision, event.type, callers.get(event.revision, ""), diff, event.value.document)
