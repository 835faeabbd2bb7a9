"""Reads for whoever looks things up in passing, such as admission plugins: of what is known here.

The reference's plugins have informers for that, and ask once more for what those do not know.
"""

from collections.abc import Awaitable, Callable, Sequence

from memkube.registry.collection import Objects
from memkube.registry.stored import StoredObject
from memkube.storage.errors import KeyNotFound
from memkube.storage.interface import MatchValue, Page, Saved, Watcher


class AtHandStorage:
    """Answers reads from what has come here, where storage would ask others first. Writes are as everybody's."""

    def __init__(self, storage: Objects) -> None:
        self._storage = storage

    @property
    def seen(self) -> int:
        """See Storage."""
        return self._storage.seen

    @property
    def restored(self) -> int:
        """See Storage."""
        return self._storage.restored

    @property
    def restorable(self) -> bool:
        """See Storage."""
        return self._storage.restorable

    async def start(self) -> None:
        """See Storage."""
        await self._storage.start()

    async def current_revision(self) -> int:
        """See Storage."""
        return await self._storage.current_revision()

    async def get(self, key: str, *, at_least: int | None = None) -> StoredObject:
        """See Storage; without `at_least`, storage is asked only for what is not known."""
        try:
            return await self._storage.get(key, at_least=at_least or 0)
        except KeyNotFound:
            if at_least is not None:
                raise
        return await self._storage.get(key)

    async def list(
        self,
        prefix: str,
        *,
        limit: int = 0,
        start: str = "",
        revision: int = 0,
        at_least: int | None = None,
        matching: Sequence[MatchValue[StoredObject]] = (),
    ) -> Page[StoredObject]:
        """See Storage."""
        least = at_least or 0
        return await self._storage.list(
            prefix, limit=limit, start=start, revision=revision, at_least=least, matching=matching
        )

    async def create(self, key: str, value: StoredObject) -> StoredObject:
        """See Storage."""
        return await self._storage.create(key, value)

    async def update(self, key: str, change: Callable[[StoredObject], Awaitable[StoredObject]]) -> StoredObject:
        """See Storage."""
        return await self._storage.update(key, change)

    async def delete(self, key: str, check: Callable[[StoredObject], Awaitable[None]] | None = None) -> StoredObject:
        """See Storage."""
        return await self._storage.delete(key, check)

    def watch(
        self,
        prefix: str,
        *,
        after: int,
        survives: bool = False,
        matching: MatchValue[StoredObject] | None = None,
    ) -> Watcher[StoredObject]:
        """See Storage."""
        return self._storage.watch(prefix, after=after, survives=survives, matching=matching)

    async def compact(self, revision: int) -> None:
        """See Storage."""
        await self._storage.compact(revision)

    async def save(self) -> Saved[StoredObject]:
        """See Storage."""
        return await self._storage.save()

    async def restore(self, saved: Saved[StoredObject]) -> int:
        """See Storage."""
        return await self._storage.restore(saved)

    def close(self) -> None:
        """See Storage."""
        self._storage.close()

    async def stop(self) -> None:
        """See Storage."""
        await self._storage.stop()
