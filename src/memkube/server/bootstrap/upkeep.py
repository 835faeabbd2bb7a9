"""Recreation of the Service ``kubernetes`` and its endpoints after they were deleted, as in kube-apiserver."""

import asyncio
from datetime import timedelta
from types import TracebackType
from typing import Final

from memkube.registry.registry import Registry
from memkube.server.service_network import ServiceNetwork, restore_service_network
from memkube.time.clock import Timer

_INTERVAL: Final = timedelta(seconds=10)
"""Time from a deletion to the recreation of the object (``DefaultEndpointReconcilerInterval``)."""


class Upkeep:
    """Recreates the Service ``kubernetes`` and its endpoints after a deletion, during its ``async with`` block."""

    def __init__(self, registry: Registry, network: ServiceNetwork) -> None:
        self._registry = registry
        self._network = network
        self._timer: Timer | None = None
        self._restoring: asyncio.Future[None] | None = None

    async def __aenter__(self) -> None:
        self._registry.kind_services.on_kubernetes_service_deleted = self.missed
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
        """Schedule a check that the Service ``kubernetes`` and its endpoints exist, unless one is scheduled."""
        if self._timer is None:
            clock = self._registry.clock
            self._timer = clock.call_at(clock.now() + _INTERVAL, self._come_due)

    def _start_over(self, _: object) -> None:
        """Schedule a new check of the Service ``kubernetes``, because a snapshot was restored."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.missed()

    def _come_due(self) -> None:
        self._timer = None
        self._registry.clock.activity.begin()
        self._restoring = asyncio.ensure_future(self._restore())

    async def _restore(self) -> None:
        try:
            if not await restore_service_network(self._registry, self._network):
                self.missed()
        finally:
            self._registry.clock.activity.end()
