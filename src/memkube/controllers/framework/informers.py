"""The informers that all controllers of one server share (client-go ``SharedInformerFactory``)."""

import asyncio

from memkube.controllers.framework.informer import Informer, ResourceName
from memkube.controllers.framework.reflector import Reflector
from memkube.registry.registry import Registry


class Informers:
    """The informers of a server: one for each resource, which all controllers share.

    An informer is created when it is first requested.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._informers: dict[ResourceName, Informer] = {}
        self._reflectors: dict[ResourceName, Reflector] = {}
        self._running = False

    def of(self, group: str, version: str, plural: str) -> Informer:
        """Return the informer of a resource, which need not be served yet."""
        name = ResourceName(group, version, plural)
        informer = self._informers.get(name)
        if informer is None:
            informer = self._informers[name] = Informer()
            if self._running:
                self._update()
        return informer

    async def start(self) -> None:
        """Start all informers. Returns when each has listed its objects."""
        if not self._running:
            self._running = True
            self._end = self._registry.catalog.on_change(self._update)
        for reflector in self._changed():
            await reflector.sync()

    async def synced(self) -> None:
        """Wait until every informer has listed its objects, including informers that were created after `start`."""
        for reflector in list(self._reflectors.values()):
            await reflector.synced.wait()

    def unsynced(self) -> list[str]:
        """Return the plural names of the resources whose informers have not listed their objects yet."""
        return [name.plural for name, reflector in self._reflectors.items() if not reflector.synced.is_set()]

    async def stop(self) -> None:
        """Stop updating all informers, and remove them with their handlers."""
        if self._running:
            self._running = False
            self._end()
            del self._end
        tasks = [task for reflector in self._reflectors.values() if (task := reflector.end()) is not None]
        self._reflectors.clear()
        await asyncio.gather(*tasks, return_exceptions=True)
        for informer in self._informers.values():
            informer.remove_handlers()
        self._informers.clear()

    def _update(self) -> None:
        if self._running:
            for reflector in self._changed():
                reflector.start_task()

    def _changed(self) -> list[Reflector]:
        """Create reflectors for resources that are served now, and end those of resources that are not served any more.

        If a definition was replaced, its resource gets a new reflector. Returns the new reflectors, which the caller
        must start.
        """
        new = []
        for name, informer in self._informers.items():
            resource = self._registry.catalog.find(*name)
            reflector = self._reflectors.get(name)
            if reflector is not None and reflector.resource is not resource:
                del self._reflectors[name]
                reflector.end()
                if resource is None:
                    informer.clear()
            if resource is not None and name not in self._reflectors:
                self._reflectors[name] = Reflector(informer, self._registry, resource)
                new.append(self._reflectors[name])
        return new
