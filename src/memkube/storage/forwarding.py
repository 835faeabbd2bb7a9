"""Base class of storages that forward most of their methods to another storage."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic

from memkube.storage.interface import Emptiness, MatchValue, Page, Saved, Storage, V, Watcher, create_each


class ForwardingStorage(Generic[V]):
    """Base class of storages that forward their methods to another storage, but may convert the values.

    Methods whose results would be wrong for converted values, such as :meth:`list_cached`, are not forwarded.
    """

    def __init__(self, storage: Storage[V]) -> None:
        self._storage = storage

    @property
    def seen(self) -> int:
        return self._storage.seen

    @property
    def restored(self) -> int:
        return self._storage.restored

    @property
    def restorable(self) -> bool:
        return self._storage.restorable

    async def start(self) -> None:
        await self._storage.start()

    async def current_revision(self) -> int:
        return await self._storage.current_revision()

    async def create(self, key: str, value: V) -> V:
        return await self._storage.create(key, value)

    async def create_all(self, values: Mapping[str, V]) -> int:
        """Call `create` of this object for each value, because a subclass may override `create`."""
        return await create_each(self, values)

    async def get(self, key: str, *, at_least: int | None = None) -> V:
        return await self._storage.get(key, at_least=at_least)

    def list_cached(self, prefix: str) -> Sequence[V] | None:
        """Return None, because a list that the wrapped storage caches may have other values than this storage."""
        return None

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        """Return an object whose attribute `known` is always False, as if any prefix may have values.

        The wrapped storage's knowledge is not used, because a subclass may have other values. `at_least` has no effect.
        """
        return Emptiness()

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
        return await self._storage.list(
            prefix, limit=limit, start=start, revision=revision, at_least=at_least, matching=matching
        )

    async def update(self, key: str, change: Callable[[V], Awaitable[V | None]]) -> V:
        return await self._storage.update(key, change)

    async def delete(self, key: str, check: Callable[[V], Awaitable[None]] | None = None) -> V:
        return await self._storage.delete(key, check)

    def watch(
        self, prefix: str, *, after: int, survives_restore: bool = False, matching: MatchValue[V] | None = None
    ) -> Watcher[V]:
        return self._storage.watch(prefix, after=after, survives_restore=survives_restore, matching=matching)

    async def compact(self, revision: int) -> None:
        await self._storage.compact(revision)

    async def save(self) -> Saved[V]:
        return await self._storage.save()

    async def restore(self, saved: Saved[V]) -> int:
        return await self._storage.restore(saved)

    async def size(self) -> Mapping[str, int]:
        return await self._storage.size()

    def close(self) -> None:
        self._storage.close()

    async def stop(self) -> None:
        await self._storage.stop()
