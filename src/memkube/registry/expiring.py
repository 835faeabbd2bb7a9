"""Storage of objects that live for a limited time, such as events."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from memkube.registry.clock import Clock, Timer
from memkube.registry.stored import StoredObject
from memkube.storage.errors import KeyNotFound
from memkube.storage.interface import Page, Saved, Storage, Watcher

_AT_ONCE: Final = 100
"""How many objects are removed before requests get their turn."""
_JUST_LESS_THAN_A_SECOND: Final = timedelta(microseconds=999_999)


class ExpiringStorage:
    """Removes objects that nobody has written for a while: see :class:`memkube.storage.interface.Storage`.

    Watchers see them deleted. As all live equally long, they expire in the order in which they were written, and
    one timer is enough; it counts in whole seconds, as the leases of the reference's storage do.
    """

    def __init__(self, storage: Storage[StoredObject], time_to_live: timedelta, clock: Clock) -> None:
        self._storage = storage
        self._time_to_live = time_to_live
        self._clock = clock
        self._ends: OrderedDict[str, datetime] = OrderedDict()
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def revision(self) -> int:
        """See Storage."""
        return self._storage.revision

    @property
    def restored(self) -> int:
        """See Storage."""
        return self._storage.restored

    async def create(self, key: str, value: StoredObject) -> StoredObject:
        """See Storage."""
        created = await self._storage.create(key, value)
        self._renew(key)
        return created

    async def get(self, key: str) -> StoredObject:
        """See Storage."""
        return await self._storage.get(key)

    async def list(self, prefix: str, *, limit: int = 0, start: str = "", revision: int = 0) -> Page[StoredObject]:
        """See Storage."""
        return await self._storage.list(prefix, limit=limit, start=start, revision=revision)

    async def update(self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject]]) -> StoredObject:
        """See Storage. What writes nothing does not prolong a life either."""
        is_changed = False

        async def watched(current: StoredObject) -> StoredObject:
            nonlocal is_changed
            changed = await change(current)
            is_changed = changed is not current
            return changed

        updated = await self._storage.update(key, watched)
        if is_changed:
            self._renew(key)
        return updated

    async def delete(self, key: str, check: Callable[[StoredObject], Awaitable[None]] | None = None) -> StoredObject:
        """See Storage."""
        deleted = await self._storage.delete(key, check)
        self._ends.pop(key, None)
        return deleted

    def watch(self, prefix: str, *, after: int, survives: bool = False) -> Watcher[StoredObject]:
        """See Storage."""
        return self._storage.watch(prefix, after=after, survives=survives)

    async def compact(self, revision: int) -> None:
        """See Storage."""
        await self._storage.compact(revision)

    async def save(self) -> Saved[StoredObject]:
        """See Storage: everything, of other kinds too."""
        return await self._storage.save()

    async def restore(self, saved: Saved[StoredObject]) -> int:
        """See Storage; lives are restored by `restore_ends`."""
        return await self._storage.restore(saved)

    @property
    def ends(self) -> Mapping[str, datetime]:
        """When each object expires, by its key."""
        return dict(self._ends)

    def restore_ends(self, ends: Mapping[str, datetime]) -> None:
        """Has objects expire when these say, those that are overdue at once."""
        self._ends = OrderedDict(sorted(ends.items(), key=lambda item: item[1]))
        self._set_timer()

    async def begin_anew(self, prefix: str) -> None:
        """Gives everything under a prefix a whole life, as etcd does when its leader changes."""
        for key in (await self._storage.list(prefix)).keys:
            self._renew(key)

    def close(self) -> None:
        """See Storage."""
        self._storage.close()

    def _renew(self, key: str) -> None:
        end = self._clock.now() + self._time_to_live + _JUST_LESS_THAN_A_SECOND
        self._ends[key] = end.replace(microsecond=0)
        self._ends.move_to_end(key)
        if self._timer is None:
            self._set_timer()

    def _set_timer(self) -> None:
        first = next(iter(self._ends.values()), None)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if first is None else self._clock.call_at(first, self._begin)

    def _begin(self) -> None:
        self._clock.activity.begin()
        self._task = asyncio.get_running_loop().create_task(self._expire())

    async def _expire(self) -> None:
        try:
            while due := self._due():
                for key in due:
                    await self._remove(key)
                await asyncio.sleep(0)
        finally:
            self._set_timer()
            self._clock.activity.end()

    def _due(self) -> tuple[str, ...]:
        now = self._clock.now()
        return tuple(key for key, end in islice(self._ends.items(), _AT_ONCE) if end <= now)

    async def _remove(self, key: str) -> None:
        self._ends.pop(key, None)
        try:
            await self._storage.delete(key)
        except KeyNotFound:
            return
