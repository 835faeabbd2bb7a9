"""Copies of what is stored, kept up to date by watches (client-go ``tools/cache``)."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from memkube.controllers.framework.reflector import Feed
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry

Handler: TypeAlias = Callable[[StoredObject | None, StoredObject | None], None]
"""Is told of an object as it was and as it is; None stands for an object that was not, or is not any more."""

_LOGGER = logging.getLogger("memkube.controllers")


class ResourceName(NamedTuple):
    """A resource, be it served or not."""

    group: str
    version: str
    plural: str

    @classmethod
    def of(cls, resource: Resource) -> "ResourceName":
        """The name of a served resource."""
        return cls(resource.group, resource.version, resource.plural)


class Informer:
    """All objects of a resource. Empty for as long as the resource is not served."""

    def __init__(self) -> None:
        self._objects: dict[str, dict[str, StoredObject]] = {}
        self._handlers: list[Handler] = []

    def subscribe(self, handler: Handler) -> None:
        """Tells `handler` of every object that there is, and of every change from now on."""
        self._handlers.append(handler)
        for stored in self:
            _tell(handler, None, stored)

    def get(self, namespace: str, name: str) -> StoredObject | None:
        """The newest known revision of an object."""
        return self._objects.get(namespace, {}).get(name)

    def in_namespace(self, namespace: str) -> Mapping[str, StoredObject]:
        """The objects of a namespace by name; cluster-scoped ones are in the namespace ``""``."""
        return self._objects.get(namespace, {})

    def __iter__(self) -> Iterator[StoredObject]:
        return iter([stored for objects in self._objects.values() for stored in objects.values()])

    def replace(self, items: Iterable[StoredObject]) -> None:
        """Takes over a list: what it lacks is gone."""
        before = {(stored.namespace, stored.name): stored for stored in self}
        for stored in items:
            before.pop((stored.namespace, stored.name), None)
            self.put(stored)
        for gone in before.values():
            self.remove(gone)

    def forget(self) -> None:
        """Knows no objects any more. They are not gone: nobody tells of them, and handlers are told nothing."""
        self._objects.clear()

    def put(self, stored: StoredObject) -> None:
        """Takes over a revision, and tells the handlers if it is a new one."""
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
        """Forgets an object."""
        objects = self._objects.get(last.namespace, {})
        if objects.pop(last.name, None) is None:
            return
        if not objects:
            del self._objects[last.namespace]
        self._changed(last, None)

    def tell_nobody(self) -> None:
        """Forgets its handlers."""
        self._handlers.clear()

    def _changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for handler in self._handlers:
            _tell(handler, old, new)


class Informers:
    """The informers of a server, one for each resource that anybody asks for, shared by all who do."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._informers: dict[ResourceName, Informer] = {}
        self._feeds: dict[ResourceName, Feed] = {}
        self._running = False

    def of(self, group: str, version: str, plural: str) -> Informer:
        """The informer of a resource, be it served already or not."""
        name = ResourceName(group, version, plural)
        informer = self._informers.get(name)
        if informer is None:
            informer = self._informers[name] = Informer()
            if self._running:
                self._update()
        return informer

    async def start(self) -> None:
        """Returns once every informer knows its objects; from then on they follow the catalog and the changes."""
        if not self._running:
            self._running = True
            self._end = self._registry.catalog.on_change(self._update)
        for feed in self._changed():
            await feed.begin()

    async def synced(self) -> None:
        """Returns once every informer knows its objects, those too that were asked for while others were followed."""
        for feed in list(self._feeds.values()):
            await feed.synced.wait()

    def unsynced(self) -> list[str]:
        """See InformerSync."""
        return [name.plural for name, feed in self._feeds.items() if not feed.synced.is_set()]

    async def stop(self) -> None:
        """Ends all watches."""
        if self._running:
            self._running = False
            self._end()
            del self._end
        tasks = [task for feed in self._feeds.values() if (task := feed.end()) is not None]
        self._feeds.clear()
        await asyncio.gather(*tasks, return_exceptions=True)
        for informer in self._informers.values():
            informer.tell_nobody()
        self._informers.clear()

    def _update(self) -> None:
        if self._running:
            for feed in self._changed():
                feed.begin_soon()

    def _changed(self) -> "list[Feed]":
        """New feeds for what is served in another way than before, or for the first time."""
        new = []
        for name, informer in self._informers.items():
            resource = self._registry.catalog.find(*name)
            feed = self._feeds.get(name)
            if feed is not None and feed.resource is not resource:
                del self._feeds[name]
                feed.end()
                if resource is None:
                    informer.forget()
            if resource is not None and name not in self._feeds:
                self._feeds[name] = Feed(informer, self._registry, resource)
                new.append(self._feeds[name])
        return new


def _tell(handler: Handler, old: StoredObject | None, new: StoredObject | None) -> None:
    """One handler's mistake must not keep the others from their news."""
    try:
        handler(old, new)
    except Exception:
        _LOGGER.exception("a change could not be handled")
