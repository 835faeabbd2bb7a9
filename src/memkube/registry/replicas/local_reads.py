"""Reads of admission plugins from this server's local copy of the shared storage, which may lag behind.

This is like Kubernetes, where admission plugins read from informers, and ask the API server for an object that the
informer does not have. Here, they read such an object from the shared storage itself.
"""

from collections.abc import Sequence

from memkube.registry.objects.stored import StoredObject
from memkube.storage.errors import KeyNotFound
from memkube.storage.forwarding import ForwardingStorage
from memkube.storage.interface import Emptiness, MatchValue, Page


class LocalReads(ForwardingStorage[StoredObject]):
    """A storage that reads from this server's local copy of a shared storage, and writes to the shared storage."""

    async def get(self, key: str, *, at_least: int | None = None) -> StoredObject:
        """Return the object from the local copy.

        If the local copy does not have the object and `at_least` is None, read the object from the shared storage.
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
