"""Keeps an informer up to date with a list and a watch (client-go ``Reflector``)."""

import asyncio
import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.controllers.framework.controller_faults import ControllerAsker, apply_read_faults
from memkube.controllers.framework.informer import Informer
from memkube.faults.active import ConnectionDropped
from memkube.registry.declarations.request_options import EVERYTHING, WatchOptions
from memkube.registry.declarations.resource import Resource
from memkube.registry.reads.watch_events import WatchClosed, WatchEnded, WatchEvent
from memkube.registry.reads.watching import ObjectWatch
from memkube.registry.registry import Registry

_EXPIRED: Final = 410
_MANAGER: Final = "kube-controller-manager"
"""User agent of the list and watch requests of all informers."""
_PAUSE: Final = timedelta(seconds=1)
_LOGGER: Final = logging.getLogger("memkube.controllers")


class Reflector:
    """Lists the objects of a resource into an informer, and watches their changes.

    After an error 410 the objects are listed again. The task that reads the watch is only started at the first change,
    to save tasks: most resources of most servers never change.
    """

    def __init__(self, informer: Informer, registry: Registry, resource: Resource) -> None:
        self.resource = resource
        self._informer = informer
        self._registry = registry
        self._store = registry.store(resource)
        self._clock = registry.clock
        self._task: asyncio.Task[None] | None = None
        self._sleeping: ObjectWatch | None = None
        """The watch before its first event. No task reads it until then."""
        self._ended = self._at_work = False
        self._aside = 0
        self.synced = asyncio.Event()
        self._work()

    async def sync(self) -> None:
        """List the objects and start the watch. Returns when the informer has all objects."""
        try:
            watch = await self._list()
        except Exception:  # List the objects again in a new task, which logs errors and retries.
            self.start_task()
            await self.synced.wait()
        else:
            self._settle()
            self._sleeping = watch
            watch.call_when_ready(self._wake)

    def start_task(self, watch: ObjectWatch | None = None) -> None:
        """Start a task that reads `watch`. Without a watch, the task lists the objects and watches again."""
        self._task = asyncio.create_task(self._run(watch))
        self._task.add_done_callback(self._settle)

    def end(self) -> asyncio.Task[None] | None:
        """Stop updating the informer. Returns the reflector's task, which is cancelled now; None if it had none."""
        self._ended = True
        self._settle()
        # The cancelled task's exception refers to this reflector. Clear the attribute to avoid a reference cycle.
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
                    _LOGGER.exception("cannot watch %s", self._store.resource.plural)
                # Wait before the next attempt: an injected fault may let every new watch expire at once.
                if not is_expired or self._registry.faults.present:
                    await self._pause()

    async def _pause(self) -> None:
        await self._clock.sleep_until(self._clock.now() + _PAUSE)

    async def _list(self) -> ObjectWatch:
        with self._clock.activity:
            store = self._store
            if self._registry.faults.present:
                await self._apply_faults("list")
                store = self._registry.as_read_by(self._asker("list"), self.resource, None, EVERYTHING)
            listed = await store.list("", EVERYTHING)
            self._informer.replace(listed.items)
            return await self._watch(listed.revision)

    async def _watch(self, revision: int) -> ObjectWatch:
        watch = self._store.watch("", WatchOptions(resource_version=str(revision)), self._watcher)
        with self._clock.activity:
            if self._registry.faults.present:
                await self._apply_faults("watch")
            await watch.start()
        return watch

    async def _follow(self, watch: ObjectWatch) -> int:
        """Pass events of the watch to the informer until an injected fault closes the watch.

        Returns the revision of the last event.
        """
        while True:
            try:
                events = await watch.next()
            except (WatchClosed, ConnectionDropped):
                return watch.returned_revision
            with self._clock.activity:
                self._take(events)

    def _take(self, events: Iterable[WatchEvent]) -> None:
        for event in events:
            if event.type == "DELETED":
                self._informer.remove(event.object)
            elif event.type != "BOOKMARK":
                self._informer.put(event.object)

    def _watcher(self) -> ControllerAsker:
        return self._asker("watch")

    def _asker(self, verb: str) -> ControllerAsker:
        return ControllerAsker(_MANAGER, verb, self.resource)

    async def _apply_faults(self, verb: str) -> None:
        """Inject faults into a request with the verb `verb`, which is list or watch.

        Raises ApiError if a fault returns an error or drops the connection.
        """
        await apply_read_faults(self._registry, self._asker(verb))

    def set_aside(self) -> None:
        self._aside = 1 + self._at_work
        for _ in range(self._aside):
            self._clock.activity.end()

    def take_up(self) -> None:
        for _ in range(self._aside):
            self._clock.activity.begin()

    def _wake(self) -> None:
        watch, self._sleeping = self._sleeping, None
        if not self._ended:
            self._work()
            self.start_task(watch)

    def _work(self) -> None:
        self._at_work = True
        self._clock.activity.begin()

    def _settle(self, _: object = None) -> None:
        self.synced.set()
        if self._at_work:
            self._at_work = False
            self._clock.activity.end()
