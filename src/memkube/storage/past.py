"""What was otherwise at older revisions: lists that are read in pages see one of them."""

from collections.abc import Iterator
from heapq import merge
from itertools import filterfalse, islice
from typing import Final, Generic

from memkube.storage.event_log import EventLog
from memkube.storage.indices import Narrowed
from memkube.storage.interface import Event, V
from memkube.storage.sorted_keys import SortedKeys

_MOST_REVISIONS: Final = 16


class Past(Generic[V]):
    """The values at one revision, told by what has changed since. It follows the changes when it is read again."""

    def __init__(self, revision: int) -> None:
        self.revision = revision
        self._seen = revision
        self._then: dict[str, V | None] = {}
        """What has been changed since, as it was; None for what was not there."""
        self._gone = SortedKeys()
        """Keys of those that were there: now they are something else, or nothing."""
        self._touched = SortedKeys()
        """Keys of those that are there now, and were something else or nothing."""

    def follow(self, log: EventLog[V]) -> None:
        """Takes in what has changed since it was read last. Raises RevisionCompacted."""
        log.check(self.revision)
        events = list(log.newest_back_to(self._seen))
        for event in reversed(events):
            self._take(event)
        self._seen = log.revision

    def _take(self, event: Event[V]) -> None:
        key, known = event.key, event.key in self._then
        if not known:
            self._then[key] = event.previous
            if event.previous is not None:
                self._gone.add(key)
        if event.type == "deleted":
            if known:
                self._touched.remove(key)
        elif event.type == "created" or not known:
            self._touched.add(key)

    def value(self, key: str, now: dict[str, V]) -> V:
        """What one of its keys held."""
        then = self._then.get(key)
        return now[key] if then is None else then

    def between(self, now: SortedKeys, narrowed: Narrowed[V] | None, first: str, past: str, limit: int) -> list[str]:
        """The keys from `first` on and before `past`, so many at most (0: all)."""
        unchanged = filterfalse(self._then.__contains__, (narrowed or now).iterate(first, past))
        found = merge(unchanged, self._changed(narrowed, first, past))
        return list(islice(found, limit or None))

    def count(self, now: SortedKeys, first: str, past: str) -> int:
        """How many keys there were from `first` on and before `past`."""
        return now.count(first, past) - self._touched.count(first, past) + self._gone.count(first, past)

    def _changed(self, narrowed: Narrowed[V] | None, first: str, past: str) -> Iterator[str]:
        for key in self._gone.iterate(first, past):
            then = self._then[key]
            if narrowed is None or (then is not None and narrowed.match.holds(then)):
                yield key


class Pasts(Generic[V]):
    """The revisions that lists were read at last, each for as long as history reaches back to it."""

    def __init__(self, log: EventLog[V]) -> None:
        self._log = log
        self._known: dict[int, Past[V]] = {}

    def at(self, revision: int) -> Past[V]:
        """The values as they were. Raises RevisionCompacted."""
        past = self._known.pop(revision, None) or Past(revision)
        past.follow(self._log)
        if len(self._known) == _MOST_REVISIONS:
            del self._known[next(iter(self._known))]
        self._known[revision] = past
        return past

    def forget(self) -> None:
        """Lets go of what history does not reach back to any more."""
        compacted = self._log.compacted
        for revision in [revision for revision in self._known if revision < compacted]:
            del self._known[revision]

    def __bool__(self) -> bool:
        return bool(self._known)
