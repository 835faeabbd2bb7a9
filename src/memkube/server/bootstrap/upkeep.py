"""Repair of the server's own objects after clients have changed or deleted them, as in kube-apiserver."""

import asyncio
import logging
from abc import ABC, abstractmethod
from datetime import datetime, timedelta
from types import TracebackType
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.registry.registry import Registry
from memkube.registry.storage_errors import FAILURES
from memkube.server.bootstrap.flow_control import maintain_flow_control_objects
from memkube.server.bootstrap.standing import SYSTEM_NAMESPACES, create_system_namespaces
from memkube.server.service_network import ServiceNetwork, restore_service_network
from memkube.time.clock import Timer

_LOGGER: Final = logging.getLogger("memkube")
_SERVICE_INTERVAL: Final = timedelta(seconds=10)
"""Time from a deletion to the recreation of the object (``DefaultEndpointReconcilerInterval``)."""
_CHECK_INTERVAL: Final = timedelta(minutes=1)
"""Time between two checks of the flow control objects (``pkg/registry/flowcontrol/rest``) and system namespaces."""


class Upkeep(ABC):
    """Repairs some of the server's objects after they were changed, during its ``async with`` block."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._timer: Timer | None = None
        self._restoring: asyncio.Future[None] | None = None

    @abstractmethod
    def _begin(self) -> None:
        """Make changes of the objects call :meth:`missed`. Runs at the start of the ``async with`` block."""

    @abstractmethod
    def _due(self, now: datetime) -> datetime:
        """Return the time at which to check the objects after one of them was changed at the time `now`."""

    @abstractmethod
    async def _restore(self) -> bool:
        """Repair the objects. Return False if another attempt is needed.

        Another attempt is also made after an ApiError or a failure of the storage.
        """

    async def __aenter__(self) -> None:
        self._begin()
        self._registry.on_restore(self._start_over)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._restoring is not None:
            self._restoring.cancel()
            await asyncio.gather(self._restoring, return_exceptions=True)

    def missed(self) -> None:
        """Schedule a check of the objects, because one may be missing or changed, unless a check is scheduled."""
        if self._timer is None:
            clock = self._registry.clock
            self._timer = clock.call_at(self._due(clock.now()), self._on_timer)

    def _start_over(self, _: object) -> None:
        """Schedule a new check of the objects, because a snapshot was restored."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.missed()

    def _on_timer(self) -> None:
        self._timer = None
        self._registry.clock.activity.begin()
        self._restoring = asyncio.ensure_future(self._check())

    async def _check(self) -> None:
        try:
            if not await self._restore():
                self.missed()
        except (ApiError, *FAILURES) as error:
            _LOGGER.warning("could not repair the server's own objects: %s", error)
            self.missed()
        finally:
            self._registry.clock.activity.end()


class ServiceUpkeep(Upkeep):
    """Recreates the Service ``kubernetes`` and its endpoints after a deletion."""

    def __init__(self, registry: Registry, network: ServiceNetwork) -> None:
        super().__init__(registry)
        self._network = network

    def _begin(self) -> None:
        self._registry.kind_services.on_kubernetes_service_deleted = self.missed

    def _due(self, now: datetime) -> datetime:
        return now + _SERVICE_INTERVAL

    async def _restore(self) -> bool:
        return await restore_service_network(self._registry, self._network)


class RegularUpkeep(Upkeep):
    """Repairs objects that kube-apiserver checks each minute after its start.

    This class checks them at the same times, but only if an object was changed since the previous check.
    """

    def _begin(self) -> None:
        self._started = self._registry.clock.now()

    def _due(self, now: datetime) -> datetime:
        checks = (now - self._started) // _CHECK_INTERVAL
        return self._started + (checks + 1) * _CHECK_INTERVAL


class FlowControlUpkeep(RegularUpkeep):
    """Recreates deleted FlowSchemas and PriorityLevelConfigurations of the server, and restores changed ones."""

    def _begin(self) -> None:
        super()._begin()
        self._registry.kind_services.on_flow_control_changed = self.missed

    async def _restore(self) -> bool:
        await maintain_flow_control_objects(self._registry)
        return True


class NamespaceUpkeep(RegularUpkeep):
    """Recreates removed system namespaces (``pkg/controlplane/controller/systemnamespaces``)."""

    def _begin(self) -> None:
        super()._begin()
        self._registry.kind_services.on_namespace_deleted = self._on_deleted

    def _on_deleted(self, name: str) -> None:
        if name in SYSTEM_NAMESPACES:
            self.missed()

    async def _restore(self) -> bool:
        await create_system_namespaces(self._registry)
        return True
