"""Values at older revisions, for lists that are read in pages."""

from collections.abc import Iterator
from heapq import merge
from itertools import filterfalse, islice
from typing import Final, Generic

from memkube.storage.event_log import EventLog
from memkube.storage.indices import Candidates
from memkube.storage.interface import Event, V
from memkube.storage.sorted_keys import SortedKeys

_MOST_REVISIONS: Final = 16


class RevisionView(Generic[V]):
    """The values at one older revision, stored as differences from the current values and updated before each read."""

    def __init__(self, revision: int) -> None:
        self.revision = revision
        self._seen = revision
        self._then: dict[str, V | None] = {}
        """Keys that changed since the revision, with their values at the revision; None if a key did not exist."""
        self._gone = SortedKeys()
        """Keys that existed at the revision and were changed or deleted since."""
        self._touched = SortedKeys()
        """Keys that exist now and were changed or created since."""

    def follow(self, log: EventLog[V]) -> None:
        """Update the differences. Raises RevisionCompacted if changes after the revision are compacted."""
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
        """Return the value of a key at the revision, or None."""
        then = self._then.get(key)
        return now[key] if then is None else then

    def between(
        self, now: SortedKeys, candidates: Candidates[V] | None, first: str, past: str, limit: int
    ) -> list[str]:
        """Return at most `limit` keys (0: all) from `first` up to but not including `past`, as of the revision."""
        unchanged = filterfalse(self._then.__contains__, (candidates or now).iterate(first, past))
        found = merge(unchanged, self._changed(candidates, first, past))
        return list(islice(found, limit or None))

    def count(self, now: SortedKeys, first: str, past: str) -> int:
        """Return the number of keys from `first` up to but not including `past`, as of the revision."""
        return now.count(first, past) - self._touched.count(first, past) + self._gone.count(first, past)

    def _changed(self, candidates: Candidates[V] | None, first: str, past: str) -> Iterator[str]:
        for key in self._gone.iterate(first, past):
            then = self._then[key]
            if candidates is None or (then is not None and candidates.match.matches(then)):
                yield key


class RevisionViews(Generic[V]):
    """Cache of the RevisionViews that were read most recently."""

    def __init__(self, log: EventLog[V]) -> None:
        self._log = log
        self._known: dict[int, RevisionView[V]] = {}

    def at(self, revision: int) -> RevisionView[V]:
        """Return the view of a revision. Raises RevisionCompacted if the revision is compacted."""
        past = self._known.pop(revision, None) or RevisionView(revision)
        past.follow(self._log)
        if len(self._known) == _MOST_REVISIONS:
            del self._known[next(iter(self._known))]
        self._known[revision] = past
        return past

    def forget(self) -> None:
        """Drop the views of revisions that are compacted."""
        compacted = self._log.compacted
        for revision in [revision for revision in self._known if revision < compacted]:
            del self._known[revision]

    def __bool__(self) -> bool:
        return bool(self._known)
