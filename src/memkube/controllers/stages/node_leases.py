"""Renews the Leases of Nodes to which Stages apply (KWOK's ``node_lease_controller.go``).

The Leases of simulated machines are excepted: a machine renews its own Lease, so that a failed machine stops doing so.
"""

import asyncio
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant
from memkube.controllers.framework.staged_kinds import NODES, StagedKind
from memkube.controllers.nodes.leases import NodeLease
from memkube.registry.objects.stored import StoredObject

_PERIOD_SECONDS: Final = 10.0
_OVERTAKEN: Final = ("AlreadyExists", "Conflict", "Forbidden", "NotFound")
"""Reasons of API errors after which a renewal is skipped: the object or its namespace was changed or deleted."""
_ALL: Final = ""
"""Key in the work queue that stands for the next renewal of all Leases."""


class NodeLeases:
    """Renews the Leases of all Nodes without a simulated machine, as long as there are Stages for Nodes."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._lease = NodeLease(runtime, "kwok")
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._queue = runtime.queue("stage node leases", self._sync)
        for saved in runtime.keep("stage-node-leases", self._saved):
            left = (instant(saved["due"]) - self._clock.now()).total_seconds()
            self._queue.add_after(_ALL, min(left, _PERIOD_SECONDS))
        self._nodes.subscribe(self._node_changed)
        runtime.staged_kinds.subscribe(self._kind_changed)
        self._kind_changed(NODES)

    def _saved(self) -> list[Document]:
        due = self._queue.due(_ALL)
        return [] if due is None else [{"due": due}]

    def _kind_changed(self, kind: StagedKind) -> None:
        if kind == NODES and NODES in self._runtime.staged_kinds and self._queue.due(_ALL) is None:
            self._queue.add(_ALL)

    def _node_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is None and new is not None and NODES in self._runtime.staged_kinds:
            self._queue.add(new.name)

    async def _sync(self, key: str) -> None:
        if NODES not in self._runtime.staged_kinds:
            return
        if key != _ALL:
            await self._renew(self._nodes.get("", key))
            return
        self._queue.add_after(_ALL, _PERIOD_SECONDS)
        for node in self._nodes:
            await self._renew(node)
            # The Leases of many Nodes are due at the same time: let the event loop serve requests in between.
            await asyncio.sleep(0)

    async def _renew(self, node: StoredObject | None) -> None:
        machines = self._runtime.machines
        if node is None or (machines is not None and machines.get(node.name) is not None):
            return
        try:
            await self._lease.renew(node)
        except ApiError as error:
            if error.reason not in _OVERTAKEN:
                raise
