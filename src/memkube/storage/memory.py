"""The default engine: a dictionary, its keys in order, and the event log."""

from bisect import bisect_left, insort
from collections.abc import Awaitable, Callable
from typing import Final, Generic

from memkube.storage.errors import KeyExists, KeyNotFound, RevisionInFuture
from memkube.storage.event_log import EventLog, LogWatcher
from memkube.storage.interface import Codec, Event, EventType, HistoryBounds, Page, SharedValues, V

PAST_EVERY_KEY = "\U0010ffff"
_MOST_PAGES: Final = 32
"""How many lists are kept for those who ask again."""


class MemoryStorage(Generic[V]):
    """Keeps everything in this process. Belongs to one event loop; see Storage for the contract."""

    def __init__(self, codec: Codec[V], history: HistoryBounds | None = None) -> None:
        self._codec = codec
        self._values: dict[str, V] = {}
        self._keys: list[str] = []
        self._pages: dict[str, tuple[SharedValues[V], list[str]]] = {}
        self._log: EventLog[V] = EventLog(codec, history or HistoryBounds())

    @property
    def revision(self) -> int:
        """See Storage."""
        return self._log.revision

    async def create(self, key: str, value: V) -> V:
        """See Storage."""
        if key in self._values:
            raise KeyExists(key)
        insort(self._keys, key)
        return self._record("created", key, value)

    async def get(self, key: str) -> V:
        """See Storage."""
        try:
            return self._values[key]
        except KeyError:
            raise KeyNotFound(key, self.revision) from None

    async def list(self, prefix: str, *, limit: int = 0, start: str = "", revision: int = 0) -> Page[V]:
        """See Storage."""
        if revision > self.revision:
            raise RevisionInFuture(revision, self.revision)
        if revision in (0, self.revision):
            if not limit and not start:
                return self._whole(prefix)
            values, keys = self._values, self._keys
        else:
            values = self._values_at(prefix, revision)
            keys = sorted(values)
        first = max(bisect_left(keys, prefix), bisect_left(keys, start))
        past = bisect_left(keys, prefix + PAST_EVERY_KEY)
        last = min(first + limit, past) if limit else past
        selected = keys[first:last]
        return Page(
            [values[key] for key in selected],
            revision or self.revision,
            selected,
            max(past - last, 0),
        )

    def _whole(self, prefix: str) -> Page[V]:
        """Everything under a prefix; the same lists as long as nothing under it changes."""
        known = self._pages.get(prefix)
        if known is None:
            keys = self._keys[bisect_left(self._keys, prefix) : bisect_left(self._keys, prefix + PAST_EVERY_KEY)]
            known = SharedValues([self._values[key] for key in keys]), keys
            if not keys:
                return Page(known[0], self.revision, keys, 0)
            if len(self._pages) == _MOST_PAGES:
                del self._pages[next(iter(self._pages))]
            self._pages[prefix] = known
        values, keys = known
        return Page(values, self.revision, keys, 0)

    async def update(self, key: str, change: Callable[[V], Awaitable[V]]) -> V:
        """See Storage."""
        while True:
            before = await self.get(key)
            after = await change(before)
            if self._values.get(key) is not before:
                continue
            if after is before:
                return before
            return self._record("updated", key, after)

    async def delete(self, key: str, check: Callable[[V], Awaitable[None]] | None = None) -> V:
        """See Storage."""
        while True:
            before = await self.get(key)
            if check is not None:
                await check(before)
                if self._values.get(key) is not before:
                    continue
            del self._keys[bisect_left(self._keys, key)]
            return self._record("deleted", key, before)

    def watch(self, prefix: str, *, after: int) -> LogWatcher[V]:
        """See Storage."""
        return LogWatcher(self._log, prefix, after)

    async def compact(self, revision: int) -> None:
        """See Storage."""
        self._log.compact(revision)

    def close(self) -> None:
        """See Storage."""
        self._log.close()

    def _record(self, type_: EventType, key: str, value: V) -> V:
        revision = self.revision + 1
        previous = self._values.get(key)
        stamped = self._codec.stamp(value, revision)
        if type_ == "deleted":
            del self._values[key]
        else:
            self._values[key] = stamped
        for prefix in [prefix for prefix in self._pages if key.startswith(prefix)]:
            del self._pages[prefix]
        self._log.append(Event(revision, type_, key, stamped, previous))
        return stamped

    def _values_at(self, prefix: str, revision: int) -> dict[str, V]:
        """The values under a prefix as they were: the newest ones with later changes taken back."""
        self._log.check(revision)
        values = {key: value for key, value in self._values.items() if key.startswith(prefix)}
        for event in self._log.newest_back_to(revision):
            if not event.key.startswith(prefix):
                continue
            if event.previous is None:
                values.pop(event.key, None)
            else:
                values[event.key] = event.previous
        return values
