"""Reads for whoever looks things up in passing, such as admission plugins: of what is known here.

The reference's plugins have informers for that, and ask once more for what those do not know.
"""

from collections.abc import Sequence

from memkube.registry.objects.stored import StoredObject
from memkube.storage.errors import KeyNotFound
from memkube.storage.forwarding import ForwardingStorage
from memkube.storage.interface import Emptiness, MatchValue, Page


class AtHandStorage(ForwardingStorage[StoredObject]):
    """Answers reads from what has come here, where storage would ask others first. Writes are as everybody's."""

    async def get(self, key: str, *, at_least: int | None = None) -> StoredObject:
        """See Storage; without `at_least`, storage is asked only for what is not known."""
        try:
            return await self._storage.get(key, at_least=at_least or 0)
        except KeyNotFound:
            if at_least is not None:
                raise
        return await self._storage.get(key)

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
        """See Storage."""
        return self._storage.emptiness(prefix, at_least=at_least or 0)

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
        return await super().list(
            prefix, limit=limit, start=start, revision=revision, at_least=least, matching=matching
        )
