"""Starts a server's controllers when they are first needed, stops them, and collects their state for snapshots."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.standing import STANDING_RESOURCES, is_standing
from memkube.controllers.available import COLLECTOR, KUBELET, SCHEDULER, ControllerDescriptor
from memkube.controllers.framework.parts import ControllerParts
from memkube.controllers.framework.runtime import RestoredState, Runtime
from memkube.controllers.framework.work_queue import WorkQueue
from memkube.controllers.garbage_collector.first_dependent import FirstDependent
from memkube.controllers.options import ControllerOptions
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    from memkube.controllers.aggregation.availability import ApiServiceAvailability
    from memkube.controllers.definitions.controller import DefinitionController
    from memkube.controllers.kubelet.controller import Kubelet
    from memkube.controllers.scheduler.controller import Scheduler

_SLEEPING: Final = "sleeping controllers"
"""Name of the work queue that creates controllers when the first objects that they handle exist."""


class ControllerManager:
    """Creates, starts and stops the controllers of a server.

    Some controllers are only created when they are needed, because most servers in tests never need them. If the
    descriptor of a controller has `woken_by`, the controller is created when the first object of one of these kinds
    exists. The garbage collector is created when the first object may need it.

    After the restore of a snapshot, all controllers are created at once, because the snapshot may have state of them.
    """

    def __init__(
        self,
        parts: ControllerParts,
        controllers: Mapping[str, ControllerDescriptor],
        names: Sequence[str],
        options: ControllerOptions | None = None,
    ) -> None:
        self._parts = parts
        self._options = options or ControllerOptions()
        self._controllers = {name: controllers[name] for name in names}
        self._asleep: set[str] = set()
        self._runtime: Runtime | None = None
        self._workers: list[asyncio.Task[None]] = []
        self._made: dict[str, Any] = {}
        """The running controllers, by name."""
        self._first: FirstDependent | None = None

    @asynccontextmanager
    async def running(self, restored: RestoredState | None = None) -> AsyncIterator[None]:
        """Run the controllers during the block. `restored` is their state from a snapshot."""
        await self.begin(restored)
        try:
            yield
        finally:
            await self.stop()

    @property
    def kubelet(self) -> "Kubelet | None":
        """The controller ``kubelet``, which simulates pods; None while it is not running."""
        return self._made.get(KUBELET)

    @property
    def definitions(self) -> "DefinitionController | None":
        """The controller ``definitions``, which serves custom kinds; None while it is not running."""
        return self._made.get("definitions")

    @property
    def api_services(self) -> "ApiServiceAvailability | None":
        """The controller ``api-services``, which checks extension API servers; None while it is not running."""
        return self._made.get("api-services")

    async def wait_for_scheduler(self) -> "Scheduler | None":
        """Return the controller ``scheduler``, or None if it does not run.

        If its creation for the first pod has been queued, wait until it is created.
        """
        await self.at_rest(_SLEEPING)
        scheduler: Scheduler | None = self._made.get(SCHEDULER)
        return scheduler

    def unsynced(self) -> list[str]:
        """Return the plural names of the resources whose informers have not listed their objects yet."""
        return [] if self._runtime is None else self._runtime.informers.unsynced()

    async def begin(self, restored: RestoredState | None = None) -> None:
        """Create and start the controllers. `restored` is their state from a snapshot."""
        self.make(restored)
        await self.start()

    def make(self, restored: RestoredState | None = None) -> None:
        """Create the controllers. `restored` is their state from a snapshot."""
        if self._controllers:
            runtime = self._runtime = Runtime(self._parts, self._options, restored, self._controllers)
            self._asleep = self._sleepers() if restored is None or restored.is_new else set()
            awake = {name: each for name, each in self._controllers.items() if name not in self._asleep}
            self._made = {name: descriptor.create(runtime) for name, descriptor in awake.items()}
            if self._asleep:
                queue = runtime.queue(_SLEEPING, self._begin)
                for name in [name for name in self._controllers if name in self._asleep]:
                    for resource in self._controllers[name].woken_by:
                        seen = self._on_object_of_users if resource in STANDING_RESOURCES else self._on_object
                        runtime.informers.of(*resource).subscribe(partial(seen, queue, name))
                if COLLECTOR in self._asleep:
                    self._first = FirstDependent(runtime, partial(self._on_object, queue, COLLECTOR, None, None))

    async def start(self) -> None:
        """Start the created controllers: list objects into the informers, and run the work queues."""
        runtime = self._runtime
        if runtime is not None:
            await runtime.informers.start()
        if runtime is not None and runtime is self._runtime:
            for begin in runtime.started:
                begin()
            self._workers = [asyncio.create_task(queue.run()) for queue in runtime.queues]

    def _sleepers(self) -> set[str]:
        collector_sleeps = not self._parts.dependents.may_exist
        return {
            name
            for name, descriptor in self._controllers.items()
            if descriptor.woken_by or (name == COLLECTOR and collector_sleeps)
        }

    def _on_object(self, queue: WorkQueue[str], name: str, _old: object, _new: object) -> None:
        if name in self._asleep:
            queue.add(name)

    def _on_object_of_users(
        self, queue: WorkQueue[str], name: str, old: StoredObject | None, new: StoredObject | None
    ) -> None:
        """Queue the creation of the controller `name`, because an object of a kind that it handles was created.

        Objects that the server itself creates, such as the Service ``kubernetes``, are ignored.
        """
        if not all(is_standing(stored) for stored in (old, new) if stored is not None):
            self._on_object(queue, name, old, new)

    async def _begin(self, name: str) -> None:
        """Create and start a controller, because the first object of a kind that it handles exists now."""
        runtime = self._runtime
        if runtime is None or name not in self._asleep:
            return
        if name == COLLECTOR and self._first is not None and not await self._first.exists():
            return
        self._asleep.discard(name)
        begun = len(runtime.queues)
        self._made[name] = self._controllers[name].create(runtime)
        await runtime.informers.synced()
        self._workers += [asyncio.create_task(queue.run()) for queue in runtime.queues[begun:]]

    async def at_rest(self, name: str) -> None:
        """Wait until the work queues with this name are empty. Keys with a delay do not count until they are due."""
        for queue in self._runtime.queues if self._runtime is not None else ():
            if queue.name == name:
                await queue.at_rest()

    async def stop(self) -> None:
        """Stop all controllers. Keys that wait in the work queues are dropped without being processed."""
        runtime, self._runtime = self._runtime, None
        if runtime is None:
            return
        await runtime.informers.stop()
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._workers = []
        for queue in runtime.queues:
            queue.close()
        for close in runtime.closing:
            close()
        self._made, self._first = {}, None
        runtime.close()

    def saved(self) -> dict[str, Sequence[Document]]:
        """Return the state of all controllers for a snapshot, as JSON data by name, such as ``taint-eviction``.

        Raises CannotBeSaved if a simulated program has had more inputs than are recorded, so that it could not be
        restored.
        """
        return {} if self._runtime is None else self._runtime.saved()
