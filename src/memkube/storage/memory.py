"""The default engine, which stores values in memory: a dictionary, its sorted keys, and the event log."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import filterfalse, islice
from types import MappingProxyType
from typing import Final, Generic
from uuid import uuid4

from memkube.storage.errors import KeyExists, KeyNotFound, RevisionInFuture, StorageRestored
from memkube.storage.event_log import EventLog
from memkube.storage.interface import (
    Codec,
    Emptiness,
    Event,
    EventType,
    HistoryBounds,
    Index,
    MatchValue,
    Page,
    Saved,
    SharedValues,
    V,
)
from memkube.storage.keys import PAST_EVERY_KEY, Candidates, Indices, SortedKeys, folders_of
from memkube.storage.lifetimes import Expiry, Lifetimes
from memkube.storage.log_watcher import LogWatcher

_MOST_PAGES: Final = 32
"""Maximum number of prefixes for which the list of all values is cached."""
_MOST_EMPTY_PREFIXES: Final = 256
_MOST_REVISIONS: Final = 16


class MemoryStorage(Generic[V]):
    """A storage engine that keeps all values in memory. It must be used on one event loop."""

    def __init__(
        self,
        codec: Codec[V],
        history: HistoryBounds | None = None,
        lifetimes: Lifetimes | None = None,
        on_compacted: Callable[[Event[V]], None] | None = None,
        indices: Iterable[Index[V]] = (),
    ) -> None:
        """Create an empty storage.

        `codec` encodes values and sets their revisions, and `history` limits the changes that are kept for watches.
        `lifetimes` says which values expire. `on_compacted` is called with each event that is compacted. `indices` are
        the indices that the storage maintains from the start, for lists with selectors. Other indices are created when
        a list first needs them.
        """
        self._codec = codec
        self._values: dict[str, V] = {}
        self._keys = SortedKeys()
        self._pages: dict[str, tuple[SharedValues[V], list[str]]] = {}
        on_woken = None if lifetimes is None else lifetimes.clock.activity.woken
        self._empty: EmptyPrefixes[V] = EmptyPrefixes()
        self._log: EventLog[V] = EventLog(codec, history or HistoryBounds(), on_compacted, on_woken)
        self._views = RevisionViews(self._log)
        self._indices = Indices(indices)
        self._expiry = None if lifetimes is None else Expiry(lifetimes, self.delete)
        self._lineage = str(uuid4())
        self._lineages: dict[str, int] = {}
        """Revisions of the snapshots that were restored while this storage was empty, by ID of the snapshot's storage.

        A later snapshot of the same storage keeps its revisions if its revision is not higher. Otherwise, an offset is
        added to its revisions.
        """

    @property
    def seen(self) -> int:
        return self._log.revision

    @property
    def restored(self) -> int:
        return self._log.restarted_at

    @property
    def restorable(self) -> bool:
        return True

    async def start(self) -> None:
        """Start the storage. The lifetimes of values that have already been loaded begin now."""
        if self._expiry is not None:
            self._expiry.begin_anew(self._values)

    async def current_revision(self) -> int:
        return self._log.revision

    async def create(self, key: str, value: V) -> V:
        if key in self._values:
            raise KeyExists(key)
        return self._record("created", key, value)

    async def create_all(self, values: Mapping[str, V]) -> int:
        stamp, new = self._codec.stamp, {key: value for key, value in values.items() if key not in self._values}
        numbered = enumerate(new.items(), start=self.seen + 1)
        events: list[Event[V]] = [Event(at, "created", key, stamp(value, at), None) for at, (key, value) in numbered]
        for event in events:
            self._apply_to_values(event)
        self._log.extend(events)
        self._views.forget()
        return len(events)

    async def get(self, key: str, *, at_least: int | None = None) -> V:
        if at_least and at_least > self._log.revision:
            raise RevisionInFuture(at_least, self._log.revision)
        try:
            return self._values[key]
        except KeyError:
            raise KeyNotFound(key, self._log.revision) from None

    def list_cached(self, prefix: str) -> Sequence[V] | None:
        known = self._pages.get(prefix)
        return self._empty.values(prefix) if known is None else known[0]

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        return self._empty.emptiness(prefix)

    async def list(
        self,
        prefix: str,
        *,
        limit: int = 0,
        start: str = "",
        revision: int = 0,
        at_least: int | None = None,
        matching: Sequence[MatchValue[V]] = (),
    ) -> Page[V]:
        candidates = await self._indices.candidates(prefix, matching, self._keys, self._values) if matching else None
        newest, wanted, past = self._log.revision, revision or at_least or 0, prefix + PAST_EVERY_KEY
        if wanted > newest:
            raise RevisionInFuture(wanted, newest)
        if revision not in (0, newest):
            return self._page_at(revision, candidates, max(prefix, start), past, limit)
        if candidates is not None:
            keys = list(islice(candidates.iterate(max(prefix, start), past), limit or None))
        elif limit or start:
            keys = self._keys.between(max(prefix, start), past, limit)
        else:
            return self._list_all(prefix)
        is_cut = keys and (candidates is not None or len(keys) == limit)
        remaining = self._keys.count(keys[-1] + "\0", past) if is_cut else 0
        return Page([self._values[key] for key in keys], newest, keys, remaining)

    def _page_at(self, revision: int, candidates: Candidates[V] | None, first: str, past: str, limit: int) -> Page[V]:
        then = self._views.at(revision)
        keys = then.between(self._keys, candidates, first, past, limit)
        is_cut = keys and (candidates is not None or len(keys) == limit)
        remaining = then.count(self._keys, keys[-1] + "\0", past) if is_cut else 0
        return Page([then.value(key, self._values) for key in keys], revision, keys, remaining)

    def _list_all(self, prefix: str) -> Page[V]:
        """Return all values under a prefix, as one page.

        Repeated calls return the same list object, unless a value under the prefix has changed or the list was evicted
        from the cache.
        """
        known = self._pages.get(prefix)
        if known is None:
            is_empty = self._empty.values(prefix) is not None
            keys = [] if is_empty else self._keys.between(prefix, prefix + PAST_EVERY_KEY)
            if not keys:
                return self._empty.page(prefix, self.seen)
            known = SharedValues([self._values[key] for key in keys]), keys
            if len(self._pages) == _MOST_PAGES:
                del self._pages[next(iter(self._pages))]
            self._pages[prefix] = known
        return Page(known[0], self.seen, known[1], 0)

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        restored = self.restored
        while True:
            before = await self.get(key)
            after = await change(before)
            if self.restored != restored:
                raise StorageRestored
            if self._values.get(key) is not before:
                continue
            if after is None or after is before:
                return before
            return self._record("updated", key, after)

    async def delete(self, key: str, check: Callable[[V], Awaitable[None]] | None = None) -> V:
        restored = self.restored
        while True:
            before = await self.get(key)
            if check is not None:
                await check(before)
                if self.restored != restored:
                    raise StorageRestored
                if self._values.get(key) is not before:
                    continue
            return self._record("deleted", key, before)

    def watch(
        self, prefix: str, *, after: int, survives_restore: bool = False, matching: MatchValue[V] | None = None
    ) -> LogWatcher[V]:
        return LogWatcher(self._log, prefix, after, survives_restore=survives_restore, matching=matching)

    async def compact(self, revision: int) -> None:
        self._log.compact(revision)
        self._views.forget()

    async def save(self) -> Saved[V]:
        ends = {} if self._expiry is None else self._expiry.ends
        return Saved(self._lineage, self.seen, MappingProxyType(dict(self._values)), ends)

    async def restore(self, saved: Saved[V]) -> int:
        if not self.seen:
            self._lineages[saved.lineage] = saved.revision
        before, values = self._values, dict(saved.values)
        revision, moved = max(self.seen, saved.revision) + 1, 0
        if saved.lineage != self._lineage and saved.revision > self._lineages.get(saved.lineage, 0):
            moved, revision = revision, revision + saved.revision
            values = self._with_offset(values, moved)
        self._replace_all(values)
        self._log.restart(revision, self._differences(before, values, revision))
        self._views.forget()
        if self._expiry is not None:
            self._expiry.restore(saved.ends)
        return moved

    async def size(self) -> Mapping[str, int]:
        return {}

    def close(self) -> None:
        self._log.close()

    async def stop(self) -> None:
        self.close()
        if self._expiry is not None:
            self._expiry.stop()

    def _replace_all(self, values: dict[str, V]) -> None:
        """Make `values` the content of the storage, without adding events to the event log."""
        if values.keys() != self._values.keys():
            self._keys = SortedKeys(values)
        self._values = values
        self._pages.clear()
        self._empty.forget()
        self._indices.forget()

    def _with_offset(self, values: Mapping[str, V], by: int) -> dict[str, V]:
        """Return values of another storage with `by` added to their revisions, so that no revision is used twice."""
        stamp, revision_of = self._codec.stamp, self._codec.revision
        return {key: stamp(value, by + revision_of(value)) for key, value in values.items()}

    def _differences(self, before: Mapping[str, V], after: Mapping[str, V], revision: int) -> Sequence[Event[V]]:
        """Return the events by which a restore changes the values `before` to the values `after`.

        They are sorted by key, and have the revisions that follow `revision`.
        """
        encode, decode = self._codec.encode, self._codec.decode
        # The removed keys and the other changed keys are each sorted, so that `sorted` below takes only linear time.
        changed = sorted(before.keys() - after.keys())
        changed += [key for key in self._keys.iterate("", PAST_EVERY_KEY) if before.get(key) is not after[key]]
        events = []
        for number, key in enumerate(sorted(changed), start=revision + 1):
            old, new = before.get(key), after.get(key)
            if new is not None:
                events.append(Event(number, "created" if old is None else "updated", key, new, old))
            elif old is not None:
                # The value is copied by encoding and decoding it, because its encoded form is cached already.
                events.append(Event(number, "deleted", key, decode(encode(old), number), old))
        return events

    def _record(self, type_: EventType, key: str, value: V) -> V:
        event = Event(self.seen + 1, type_, key, self._codec.stamp(value, self.seen + 1), self._values.get(key))
        self._apply(event)
        return event.value

    def _apply(self, event: Event[V]) -> None:
        """Apply a change, whose revision is the next one, and make it visible to readers and watchers."""
        self._apply_to_values(event)
        self._log.append(event)
        if self._views:
            self._views.forget()

    def _apply_to_values(self, event: Event[V]) -> None:
        key = event.key
        if event.type == "deleted":
            del self._values[key]
            self._keys.remove(key)
        else:
            self._values[key] = event.value
            if event.type == "created":
                self._keys.add(key)
                self._empty.fill(key)
        for prefix in [prefix for prefix in self._pages if key.startswith(prefix)]:
            del self._pages[prefix]
        self._indices.note(event)
        if self._expiry is not None and key.startswith(self._expiry.prefixes):
            self._expiry.note(event)


class EmptyPrefixes(Generic[V]):
    """Remembers key prefixes under which no values exist, up to a maximum number. The prefixes end with a slash."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[SharedValues[V], list[str]]] = {}
        self._handed_out: dict[str, Emptiness] = {}

    def values(self, prefix: str) -> SharedValues[V] | None:
        """Return an empty list if the prefix is known to be empty; otherwise None.

        For the same prefix, it is always the same list.
        """
        known = self._known.get(prefix)
        return None if known is None else known[0]

    def page(self, prefix: str, revision: int) -> Page[V]:
        """Record that no key has this prefix, and return an empty page of a list at the revision `revision`."""
        known = self._known.get(prefix)
        if known is None:
            known = SharedValues(), []
            if prefix.endswith("/") and len(self._known) < _MOST_EMPTY_PREFIXES:
                self._known[prefix] = known
                self._update(prefix, known=True)
        return Page(known[0], revision, known[1], 0)

    def emptiness(self, prefix: str) -> Emptiness:
        return self._handed_out.setdefault(prefix, Emptiness(prefix in self._known))

    def fill(self, key: str) -> None:
        """Record that a value was stored under a new key, so that the prefixes of the key are no longer empty."""
        known = self._known
        for folder in folders_of(key):
            if folder in known:
                del known[folder]
                self._update(folder, known=False)

    def forget(self) -> None:
        """Forget which prefixes are empty, because all values were replaced."""
        for prefix in self._known:
            self._update(prefix, known=False)
        self._known.clear()

    def _update(self, prefix: str, *, known: bool) -> None:
        if prefix in self._handed_out:
            self._handed_out[prefix].known = known


class RevisionView(Generic[V]):
    """The values at one older revision.

    Only the differences from the current values are stored. They are updated before each read.
    """

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
        """Update the differences between this revision and the current values, from the newest events in the log.

        Raises RevisionCompacted if events after this revision have been compacted.
        """
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
        """Return the value that a key had at the revision. The key must have existed at that revision.

        `now` are the current values.
        """
        then = self._then.get(key)
        return now[key] if then is None else then

    def between(
        self, now: SortedKeys, candidates: Candidates[V] | None, first: str, past: str, limit: int
    ) -> list[str]:
        """Return keys that existed at the revision, from `first` up to but not including `past`, in order.

        At most `limit` keys are returned (0: all). `now` are the keys that exist now. `candidates` are those of them
        that an index has found for a selector, or None if no index was used. With candidates, a key whose value has not
        changed since the revision is returned only if it is one of them.
        """
        unchanged = filterfalse(self._then.__contains__, (candidates or now).iterate(first, past))
        found = merge(unchanged, self._changed(candidates, first, past))
        return list(islice(found, limit or None))

    def count(self, now: SortedKeys, first: str, past: str) -> int:
        """Return the number of keys at the revision, from `first` up to but not including `past`.

        `now` are the current keys.
        """
        return now.count(first, past) - self._touched.count(first, past) + self._gone.count(first, past)

    def _changed(self, candidates: Candidates[V] | None, first: str, past: str) -> Iterator[str]:
        for key in self._gone.iterate(first, past):
            then = self._then[key]
            if candidates is None or (then is not None and candidates.match.matches(then)):
                yield key


class RevisionViews(Generic[V]):
    """Cache of RevisionViews, for the older revisions that were read most recently."""

    def __init__(self, log: EventLog[V]) -> None:
        self._log = log
        self._known: dict[int, RevisionView[V]] = {}

    def at(self, revision: int) -> RevisionView[V]:
        """Return the values at an older revision. Raises RevisionCompacted if the revision is compacted."""
        past = self._known.pop(revision, None) or RevisionView(revision)
        past.follow(self._log)
        if len(self._known) == _MOST_REVISIONS:
            del self._known[next(iter(self._known))]
        self._known[revision] = past
        return past

    def forget(self) -> None:
        """Remove the cached views of older revisions that have been compacted."""
        compacted = self._log.compacted
        for revision in [revision for revision in self._known if revision < compacted]:
            del self._known[revision]

    def __bool__(self) -> bool:
        return bool(self._known)
