"""Reads the log of changes: its oldest and newest revision, the changes of one object, or all new changes."""

from collections import deque
from collections.abc import AsyncIterator
from typing import TypeAlias

from memkube.apimachinery.errors import expired
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection
from memkube.storage.errors import RevisionCompacted
from memkube.storage.interface import Event, Storage
from memkube.time.turns import Turns

ObjectEvent: TypeAlias = Event[StoredObject]


async def object_events(collection: Collection, key: str, since: int) -> tuple[list[ObjectEvent], int]:
    """Return the changes after the revision `since` of the object with the storage key `key`, and a revision.

    The result has all changes of the object after the returned revision. This revision is `since`, unless `since` is 0
    and old changes have been compacted: then it is the newest compacted revision.

    Raises ApiError 410 if `since` is not 0, and changes after it have been compacted.
    """
    storage, oldest = collection.backend.storage, since
    found: list[ObjectEvent] = []
    watcher = storage.watch(key, after=since)
    while watcher.revision < storage.seen:
        try:
            events = await watcher.next(0)
        except RevisionCompacted as error:
            if since or found:
                raise expired(f"too old resource version: {error.revision} ({error.oldest})") from None
            oldest = error.oldest - 1
            watcher = storage.watch(key, after=oldest)
            continue
        found += [event for event in events if event.key == key]
    return found, oldest


async def newest_events(storage: Storage[StoredObject], after: int, until: int, most: int) -> list[ObjectEvent]:
    """Return the changes of objects with revisions above `after` and not above `until`, oldest first.

    If there are more than `most` such changes, only the newest ones are returned. Raises ApiError 410 if changes after
    `after` have been compacted.
    """
    watcher, found = storage.watch("/", after=after, survives_restore=True), deque[ObjectEvent](maxlen=most)
    until = min(until, storage.seen)
    turns = Turns()
    while watcher.revision < until:
        await turns.give()
        try:
            events = await watcher.next(0)
        except RevisionCompacted as error:
            raise expired(f"too old resource version: {error.revision} ({error.oldest})") from None
        if not events:
            break
        found.extend(event for event in events if event.revision <= until)
    return list(found)


async def oldest_revision(storage: Storage[StoredObject]) -> int:
    """Return the oldest revision at which objects can be listed; 0 if no history has been compacted."""
    try:
        await storage.watch("/", after=0).next(0)
    except RevisionCompacted as error:
        return error.oldest - 1
    return 0


class NewEvents:
    """Reads the changes of all objects since the previous call of :meth:`read`, or since this reader was created."""

    def __init__(self, storage: Storage[StoredObject]) -> None:
        self._storage = storage
        self._revision = storage.seen

    async def read(self) -> AsyncIterator[ObjectEvent]:
        """Yield the changes in the order of their revisions.

        Raises RevisionCompacted if changes since the previous call have been compacted.
        """
        watcher = self._storage.watch("/", after=self._revision, survives_restore=True)
        while self._revision < self._storage.seen:
            events = await watcher.next(0)
            self._revision = max(watcher.revision, self._revision) if events else self._storage.seen
            for event in events:
                yield event
