"""What fills an informer: a list and a watch (client-go's ``Reflector``)."""

import asyncio
import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memkube.apimachinery.errors import ApiError
from memkube.faults.active import ConnectionDropped
from memkube.registry.declarations.request_options import EVERYTHING, WatchOptions
from memkube.registry.declarations.resource import Resource
from memkube.registry.reads.watch_events import WatchClosed, WatchEnded, WatchEvent
from memkube.registry.reads.watching import ObjectWatch
from memkube.registry.registry import Registry

if TYPE_CHECKING:
    from memkube.controllers.framework.informer import Informer
    from memkube.controllers.framework.request_faults import ControllerAsker

_EXPIRED: Final = 410
_MANAGER: Final = "kube-controller-manager"
"""The user agent of the informers, which all controllers share."""
_PAUSE: Final = timedelta(seconds=1)
_LOGGER: Final = logging.getLogger("memkube.controllers")


class Feed:
    """Fills one informer: a list, the changes that follow, and a new list when history is lost.

    Until the first change there is no task that waits for it: most resources of most servers never see one.
    """

    def __init__(self, informer: "Informer", registry: Registry, resource: Resource) -> None:
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
        # What it raises at its end tells of this feed: neither is to know the other then.
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        return task

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
        from memkube.controllers.framework.request_faults import ControllerAsker  # noqa: PLC0415  for servers with faults

        return ControllerAsker(_MANAGER, verb, self.resource)

    async def _meet(self, verb: str) -> None:
        """Lets faults come over a request. Raises ApiError."""
        from memkube.controllers.framework.request_faults import apply_read_faults  # noqa: PLC0415  for servers with faults

        await apply_read_faults(self._registry, self._asker(verb))

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
