"""A local cache of the objects of one resource (client-go ``tools/cache``)."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

Handler: TypeAlias = Callable[[StoredObject | None, StoredObject | None], None]
"""Function called with the old and the new revision of an object.

It is called with (None, new) for a creation, and with (old, None) for a deletion.
"""

_LOGGER = logging.getLogger("memkube.controllers")


class ResourceName(NamedTuple):
    """Group, version and plural name of a resource, which need not be served."""

    group: str
    version: str
    plural: str

    @classmethod
    def of(cls, resource: Resource) -> "ResourceName":
        """Return the group, version and plural name of a served resource."""
        return cls(resource.group, resource.version, resource.plural)


class Informer:
    """Cache of all objects of one resource. The cache is empty while the resource is not served."""

    def __init__(self) -> None:
        self._objects: dict[str, dict[str, StoredObject]] = {}
        self._handlers: list[Handler] = []

    def subscribe(self, handler: Handler) -> None:
        """Call `handler` for every object in the cache now, and for every later change of an object in it."""
        self._handlers.append(handler)
        for stored in self:
            _call_handler(handler, None, stored)

    def get(self, namespace: str, name: str) -> StoredObject | None:
        """Return the newest revision of an object in the cache, or None if the cache has no such object."""
        return self._objects.get(namespace, {}).get(name)

    def in_namespace(self, namespace: str) -> Mapping[str, StoredObject]:
        """Return the objects of a namespace by name. Cluster-scoped objects have the namespace ``""``."""
        return self._objects.get(namespace, {})

    def __iter__(self) -> Iterator[StoredObject]:
        return iter([stored for objects in self._objects.values() for stored in objects.values()])

    def replace(self, items: Iterable[StoredObject]) -> None:
        """Replace the objects in the cache by `items`, the result of a list. Call the handlers for each difference."""
        before = {(stored.namespace, stored.name): stored for stored in self}
        for stored in items:
            before.pop((stored.namespace, stored.name), None)
            self.put(stored)
        for gone in before.values():
            self.remove(gone)

    def clear(self) -> None:
        """Remove all objects from the cache without calling the handlers.

        This is called when the resource is no longer served.
        """
        self._objects.clear()

    def put(self, stored: StoredObject) -> None:
        """Put a revision of an object into the cache. Call the handlers, unless the cache has this revision already."""
        objects = self._objects.setdefault(stored.namespace, {})
        old = objects.get(stored.name)
        if old is not None and old.uid != stored.uid:
            self.remove(old)
            old = None
            objects = self._objects.setdefault(stored.namespace, {})
        if old is not None and old.resource_version == stored.resource_version:
            return
        objects[stored.name] = stored
        self._changed(old, stored)

    def remove(self, last: StoredObject) -> None:
        """Remove a deleted object from the cache, and call the handlers. `last` is its last revision."""
        objects = self._objects.get(last.namespace, {})
        if objects.pop(last.name, None) is None:
            return
        if not objects:
            del self._objects[last.namespace]
        self._changed(last, None)

    def remove_handlers(self) -> None:
        """Remove all handlers, to release their references to controllers."""
        self._handlers.clear()

    def _changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for handler in self._handlers:
            _call_handler(handler, old, new)


def _call_handler(handler: Handler, old: StoredObject | None, new: StoredObject | None) -> None:
    """Call a handler of the informer. If the handler raises an exception, log it, so that other handlers still run."""
    try:
        handler(old, new)
    except Exception:
        _LOGGER.exception("a handler of an informer failed")
