"""Caching of a value that is computed from all stored objects of a kind, such as all admission policies."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store

T = TypeVar("T")


class Configurations(Generic[T]):
    """A cached value that is computed from all stored objects of a kind, and computed anew if one of them changes."""

    def __init__(self, store: Store, make: Callable[[Sequence[StoredObject]], T]) -> None:
        """Create the cache. `make` gets the objects in `store`, sorted by name, and returns the value to cache."""
        self._store = store
        self._make = make
        self._seen: Sequence[StoredObject] | None = None
        self._made: T | None = None

    async def get(self) -> T | None:
        """Return the value computed from the stored objects, cached until one changes; None if no object is stored."""
        objects = await self._store.all()
        if not objects:
            return None
        if objects is not self._seen:
            self._made, self._seen = self._make(objects), objects
        return self._made
