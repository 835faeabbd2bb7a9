"""Reads from this server's copy of a shared storage, for admission plugins.

The reference's plugins read from informers, and ask the API server for what those do not have.
"""

from collections.abc import Sequence

from memkube.registry.objects.stored import StoredObject
from memkube.storage.errors import KeyNotFound
from memkube.storage.forwarding import ForwardingStorage
from memkube.storage.interface import Emptiness, MatchValue, Page


class LocalReads(ForwardingStorage[StoredObject]):
    """Answers reads from the local copy of a shared storage. Writes go to the shared storage."""

    async def get(self, key: str, *, at_least: int | None = None) -> StoredObject:
        """Return the value in the local copy.

        Without `at_least`, a value that is missing there is read from the storage.
        """
        try:
            return await self._storage.get(key, at_least=at_least or 0)
        except KeyNotFound:
            if at_least is not None:
                raise
        return await self._storage.get(key)

    def emptiness(self, prefix: str, *, at_least: int | None = None) -> Emptiness:
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
        least = at_least or 0
        return await super().list(
            prefix, limit=limit, start=start, revision=revision, at_least=least, matching=matching
        )
