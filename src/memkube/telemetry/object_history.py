"""The past revisions of one object, and the newest changes of all objects, from the history of the storage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.errors import expired
from memkube.apimachinery.model import Document
from memkube.registry.named_stores import named_store
from memkube.registry.reads.object_events import ObjectEvent, object_events
from memkube.registry.registry import Registry
from memkube.telemetry.differences import differing_lines
from memkube.telemetry.request_log import RequestLog
from memkube.time.turns import Turns

_WRITES: Final = frozenset({"create", "update", "patch", "delete"})
_REFUSED: Final = 400
_MOST_SEARCHED: Final = 5000
"""Maximum number of changes that are read to find the newest ones, if the changes of some resources are left out."""


@dataclass(frozen=True, slots=True)
class ObjectRevision:
    """One revision of an object, as created, updated or deleted by a request."""

    revision: int
    what: str
    """Type of the change: ``created``, ``updated`` or ``deleted``."""
    by: str
    """Client and verb of the request that made the change; the field manager if the request is not in the request log,
    as those of controllers; empty if neither is known."""
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
    """The revisions of an object that are in the storage's history, oldest first."""

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


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """One change of any object: which object, how it has changed, when, and by which client."""

    revision: int
    what: str
    """Type of the change: ``created``, ``updated`` or ``deleted``."""
    group: str
    resource: str
    """Plural of the object's resource. If several API groups serve the object, it is the plural in the group under
    which the object is stored."""
    namespace: str
    name: str
    by: str
    """Client and verb of the request that made the change, or the field manager; empty if neither is known."""
    diff: Sequence[str]
    """Changed lines of the object's YAML, without metadata that the server sets."""
    time: str = ""
    """Time of the change on the server's clock, if it is known."""


async def object_history(
    registry: Registry, log: RequestLog, resource: str, name: str, namespace: str = "default", since: int = 0
) -> ObjectHistory:
    """Return the revisions of an object after revision `since`; all revisions that are not compacted if it is 0.

    The client that made each change is taken from the request log `log`.

    Raises ApiError:

    - 410 if changes after `since` have been compacted, unless `since` is 0,
    - 410 if `since` is 0, and the object exists but all its changes have been compacted,
    - 404 if `since` is 0, and the object neither exists nor has changes in the history,
    - 404 if the resource is unknown.
    """
    store = named_store(registry, resource)
    namespace = namespace if store.resource.namespaced else ""
    events, oldest = await object_events(store, store.key(namespace, name), since)
    if not events and not since:
        # Read the object, so that ApiError 404 is raised if it does not exist.
        await store.get(namespace, name)
        subject = f"{store.resource.group_resource} {name}"
        raise expired(f"all changes of {subject} are compacted: the history begins after revision {oldest}")
    callers = _callers(log)
    return ObjectHistory([_revision(event, callers) for event in events], oldest)


async def newest_changes(
    registry: Registry, log: RequestLog, after: int, until: int, most: int, ignored: Sequence[str] = ()
) -> list[ObjectChange]:
    """Return the changes of objects with revisions above `after` and not above `until`, newest first.

    If there are more than `most` such changes, only the newest ones are returned. Changes of the resources in `ignored`
    are left out; these are written ``GROUP/PLURAL``, with ``core`` for the core group. Raises ApiError 410 if changes
    after `after` have been compacted.
    """
    prefixes, callers, turns = tuple(f"/{one}/" for one in ignored), _callers(log), Turns()
    events = await registry.newest_events(after, until, _MOST_SEARCHED if prefixes else most)
    chosen = [event for event in reversed(events) if not event.key.startswith(prefixes)][:most]
    changes = []
    for event in chosen:
        await turns.give()
        _, group, plural, *_ = event.key.split("/")
        found, stored = _revision(event, callers), event.value
        identity = ("" if group == "core" else group, plural, stored.namespace, stored.name)
        time = _written_by(event)[1]
        changes.append(ObjectChange(found.revision, found.what, *identity, found.by, found.diff, time))
    return changes


def _callers(log: RequestLog) -> dict[tuple[int, str], str]:
    """Return the client and the request of each logged write, as text such as ``kubectl (patch pods/status)``.

    The keys are pairs: the revision that the write created, and the plural of the object's resource.
    """
    callers = {}
    for record in log.records():
        target = record.target
        if record.verb in _WRITES and record.revision and record.code < _REFUSED and not record.dry_run:
            what = "/".join(filter(None, (target.resource, target.subresource)))
            callers[record.revision, target.resource] = f"{record.client} ({record.verb} {what})"
    return callers


def _revision(event: ObjectEvent, callers: dict[tuple[int, str], str]) -> ObjectRevision:
    is_gone = event.type == "deleted"
    before = event.value if is_gone else event.previous
    diff = differing_lines(before, None if is_gone else event.value)
    by = callers.get((event.revision, event.key.split("/")[2])) or _written_by(event)[0]
    return ObjectRevision(event.revision, event.type, by, diff, event.value.document)


def _written_by(event: ObjectEvent) -> tuple[str, str]:
    """Return the field manager and the time of a change, from the entry of managedFields that is new or has changed.

    Both are empty if no entry has changed, as after a deletion.
    """
    before = () if event.previous is None else event.previous.document["metadata"].get("managedFields") or ()
    for entry in () if event.type == "deleted" else event.value.document["metadata"].get("managedFields") or ():
        if entry not in before:
            how = " ".join(filter(None, (entry.get("operation", ""), entry.get("subresource", "")))).lower()
            return f"{entry.get('manager', '')} ({how})", str(entry.get("time") or "")
    return "", ""
