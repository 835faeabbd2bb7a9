"""Copies of what is stored, kept up to date by watches (client-go ``tools/cache``)."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.faults.active import ConnectionDropped
from memkube.registry.registry import Registry
from memkube.registry.requests import EVERYTHING, WatchOptions
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject
from memkube.registry.watching import ObjectWatch, WatchClosed, WatchEnded, WatchEvent

if TYPE_CHECKING:
    from memkube.controllers.hindered import ControllerAsker

T = TypeVar("T")

Handler: TypeAlias = Callable[[StoredObject | None, StoredObject | None], None]
"""Is told of an object as it was and as it is; None stands for an object that was not, or is not any more."""

_EXPIRED = 410
_MANAGER: Final = "kube-controller-manager"
"""The user agent of the informers, which all controllers share."""
_PAUSE = timedelta(seconds=1)
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

    def _changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for handler in self._handlers:
            _tell(handler, old, new)


class Informers:
    """The informers of a server, one for each resource that anybody asks for, shared by all who do."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._informers: dict[ResourceName, Informer] = {}
        self._feeds: dict[ResourceName, _Feed] = {}
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
        tasks = [task for feed in self._feeds.values() if (task := feed.end()) is not None]
        self._feeds.clear()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _update(self) -> None:
        if self._running:
            for feed in self._changed():
                feed.begin_soon()

    def _changed(self) -> "list[_Feed]":
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
                self._feeds[name] = _Feed(informer, self._registry, resource)
                new.append(self._feeds[name])
        return new


class _Feed:
    """Fills one informer: a list, the changes that follow, and a new list when history is lost.

    Until the first change there is no task that waits for it: most resources of most servers never see one.
    """

    def __init__(self, informer: Informer, registry: Registry, resource: Resource) -> None:
        self.resource = resource
        self._informer = informer
        self._registry = registry
        self._store = registry.store(resource)
        self._clock = registry.clock
        self._task: asyncio.Task[None] | None = None
        self._sleeping: ObjectWatch | None = None
        """The watch whose first event is waited for."""
        self._ended = self._at_work = False
        self._aside = 0
        self.synced = asyncio.Event()
        self._work()

    async def begin(self) -> None:
        """Returns once the informer knows its objects."""
        try:
            watch = await self._list()
        except Exception:  # the task tells of it, when it fails there too
            self.begin_soon()
            await self.synced.wait()
        else:
            self._settle()
            self._sleeping = watch
            watch.call_when_ready(self._wake)

    def begin_soon(self, watch: ObjectWatch | None = None) -> None:
        """Has a task list and follow the changes, or follow those of a watch."""
        self._task = asyncio.create_task(self._run(watch))
        self._task.add_done_callback(self._settle)

    def end(self) -> asyncio.Task[None] | None:
        """Fills no more; the task that comes to its end."""
        self._ended = True
        self._settle()
        if self._task is not None:
            self._task.cancel()
        return self._task

    async def _run(self, watch: ObjectWatch | None) -> None:
        self._clock.activity.employ(self)
        while True:
            try:
                watch = watch or await self._list()
                self._settle()
                while True:
                    revision = await self._follow(watch)
                    await self._pause()
                    watch = await self._watch(revision)
            except WatchEnded:
                return
            except Exception as error:
                watch = None
                is_expired = isinstance(error, ApiError) and error.code == _EXPIRED
                if not is_expired:
                    _LOGGER.exception("%s cannot be followed", self._store.resource.plural)
                # A fault may end each watch anew.
                if not is_expired or self._registry.faults.present:
                    await self._pause()

    async def _pause(self) -> None:
        await self._clock.sleep_until(self._clock.now() + _PAUSE)

    async def _list(self) -> ObjectWatch:
        with self._clock.activity:
            store = self._store
            if self._registry.faults.present:
                await self._meet("list")
                store = self._registry.as_read_by(self._asker("list"), self.resource, None, EVERYTHING)
            listed = await store.list("", EVERYTHING)
            self._informer.replace(listed.items)
            return await self._watch(listed.revision)

    async def _watch(self, revision: int) -> ObjectWatch:
        watch = self._store.watch("", WatchOptions(resource_version=str(revision)), self._watcher)
        with self._clock.activity:
            if self._registry.faults.present:
                await self._meet("watch")
            await watch.start()
        return watch

    async def _follow(self, watch: ObjectWatch) -> int:
        """The revision up to which the changes are known, where a fault has ended the watch."""
        while True:
            try:
                events = await watch.next()
            except (WatchClosed, ConnectionDropped):
                return watch.told
            with self._clock.activity:
                self._take(events)

    def _take(self, events: Iterable[WatchEvent]) -> None:
        for event in events:
            if event.type == "DELETED":
                self._informer.remove(event.object)
            elif event.type != "BOOKMARK":
                self._informer.put(event.object)

    def _watcher(self) -> "ControllerAsker":
        return self._asker("watch")

    def _asker(self, verb: str) -> "ControllerAsker":
        from memkube.controllers.hindered import ControllerAsker  # noqa: PLC0415  for servers with faults

        return ControllerAsker(_MANAGER, verb, self.resource)

    async def _meet(self, verb: str) -> None:
        """Lets faults come over a request. Raises ApiError."""
        from memkube.controllers.hindered import meet  # noqa: PLC0415  for servers with faults

        await meet(self._registry, self._asker(verb))

    def set_aside(self) -> None:
        """See Worker."""
        self._aside = 1 + self._at_work
        for _ in range(self._aside):
            self._clock.activity.end()

    def take_up(self) -> None:
        """See Worker."""
        for _ in range(self._aside):
            self._clock.activity.begin()

    def _wake(self) -> None:
        watch, self._sleeping = self._sleeping, None
        if not self._ended:
            self._work()
            self.begin_soon(watch)

    def _work(self) -> None:
        self._at_work = True
        self._clock.activity.begin()

    def _settle(self, _: object = None) -> None:
        self.synced.set()
        if self._at_work:
            self._at_work = False
            self._clock.activity.end()


def _tell(handler: Handler, old: StoredObject | None, new: StoredObject | None) -> None:
    """One handler's mistake must not keep the others from their news."""
    try:
        handler(old, new)
    except Exception:
        _LOGGER.exception("a change could not be handled")
