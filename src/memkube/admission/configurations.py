"""What is made of the objects of a kind, and made anew when one of them has changed."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from memkube.registry.objects.stored import StoredObject
from memkube.registry.store import Store

T = TypeVar("T")


class Configurations(Generic[T]):
    """All objects of a kind in a form of their own, which costs next to nothing while none is stored."""

    def __init__(self, store: Store, make: Callable[[Sequence[StoredObject]], T]) -> None:
        """`make` is given the objects in the order of their names."""
        self._store = store
        self._make = make
        self._seen: Sequence[StoredObject] | None = None
        self._made: T | None = None

    async def get(self) -> T | None:
        """What is made of them; None where there are none."""
        objects = await self._store.all()
        if not objects:
            return None
        if objects is not self._seen:
            self._made, self._seen = self._make(objects), objects
        return self._made
