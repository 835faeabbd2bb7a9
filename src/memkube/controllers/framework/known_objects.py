"""A cache of objects that also contains the controller's own newest writes (``pv_controller_base.go``)."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from memkube.controllers.framework.informer import Informer
from memkube.registry.objects.stored import StoredObject

Key: TypeAlias = tuple[str, str]
"""Namespace and name of an object."""
Handler: TypeAlias = Callable[[StoredObject | None, StoredObject | None], None]


class KnownObjects:
    """Newest known revisions of the objects of one resource.

    A revision comes from the informer, or from a write of the controller that the informer has not seen yet.
    """

    def __init__(self, informer: Informer) -> None:
        self._objects: dict[Key, StoredObject] = {}
        self._handlers: list[Handler] = []
        informer.subscribe(self._on_change)

    def subscribe(self, handler: Handler) -> None:
        """Call `handler` with the old and the new revision at each change of an object.

        For each object that is known already, `handler` is called at once with (None, new).
        """
        self._handlers.append(handler)
        for stored in self:
            handler(None, stored)

    def get(self, key: Key) -> StoredObject | None:
        """Return the newest known revision of an object by namespace and name, or None if no revision is known."""
        return self._objects.get(key)

    def __iter__(self) -> Iterator[StoredObject]:
        return iter(list(self._objects.values()))

    def put(self, stored: StoredObject) -> None:
        """Record a revision that the controller has written or read, unless a newer revision is known."""
        key = (stored.namespace, stored.name)
        old = self._objects.get(key)
        if old is not None and _revision(stored) <= _revision(old):
            return
        self._objects[key] = stored
        self._changed(old, stored)

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self.put(new)
        elif old is not None:
            known = self._objects.get((old.namespace, old.name))
            if known is not None and known.uid == old.uid:
                del self._objects[(old.namespace, old.name)]
                self._changed(known, None)

    def _changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for handler in self._handlers:
            handler(old, new)


def _revision(stored: StoredObject) -> int:
    return int(stored.resource_version or 0)
