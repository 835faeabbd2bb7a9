"""What has become of one object, revision by revision, as far as the event log goes back."""

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
    """One change of an object."""

    revision: int
    what: str
    """``created``, ``updated`` or ``deleted``."""
    by: str
    """The client and verb of the request that did it, where the log of requests still knows."""
    diff: Sequence[str]
    """The lines of its YAML that are different, without what the server itself keeps in the metadata."""
    document: Document
    """The object as of then; a deleted one as it was last."""

    def __str__(self) -> str:
        """With what is different in lines of their own."""
        head = f"{self.revision} {self.what}" + (f" by {self.by}" if self.by else "")
        return "\n".join([head, *(f"    {line}" for line in self.diff)])


@dataclass(frozen=True, slots=True)
class ObjectHistory:
    """The changes of an object that are not forgotten yet, oldest first."""

    revisions: Sequence[ObjectRevision]
    complete_since: int
    """All changes behind this revision are there; 0 where nothing is forgotten."""

    def __iter__(self) -> Iterator[ObjectRevision]:
        return iter(self.revisions)

    def __len__(self) -> int:
        return len(self.revisions)

    def __getitem__(self, index: int) -> ObjectRevision:
        """Raises IndexError."""
        return self.revisions[index]

    def __str__(self) -> str:
        """All of it in lines."""
        return "\n".join(map(str, self.revisions))


async def object_history(
    registry: Registry, log: RequestLog, resource: str, name: str, namespace: str = "default", since: int = 0
) -> ObjectHistory:
    """The changes behind `since`, 0 for all that are not forgotten.

    Raises ApiError 410 where changes behind `since` are forgotten, or all that are about the object are; 404 for a
    resource that there is not, and for an object that there has not been.
    """
    store = named_store(registry, resource)
    namespace = namespace if store.resource.namespaced else ""
    events, oldest = await object_events(store, store.key(namespace, name), since)
    if not events and not since:
        # Raises ApiError 404 itself.
        await store.get(namespace, name)
        raise expired(f"all changes of {store.resource.group_resource} {name} are compacted, as those up to {oldest}")
    callers = _callers(log, store, name)
    return ObjectHistory([_revision(event, callers) for event in events], oldest)


def _callers(log: RequestLog, store: Store, name: str) -> dict[int, str]:
    """Who made which revision, by the log of requests."""
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
