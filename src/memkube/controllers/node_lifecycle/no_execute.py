"""The NoExecute taints of nodes that are not ready, which drive pods off them, one node of a zone after another."""

from datetime import datetime

from memkube.controllers.informer import Informer
from memkube.controllers.node_lifecycle.conditions import ready_status
from memkube.controllers.node_lifecycle.taints import NOT_READY, UNREACHABLE, TaintSwap, swap_taints, taint_names
from memkube.controllers.node_lifecycle.zones import Zone, Zones, zone_of
from memkube.controllers.runtime import Runtime
from memkube.registry.stored import StoredObject

_PAUSE = 0.1
"""Seconds between a node's fall and its taint, in which others may fall as well, and all be left alone."""


class NoExecuteTaints:
    """Adds them no faster than the zones allow, and removes them at once."""

    def __init__(self, runtime: Runtime, nodes: Informer, zones: Zones) -> None:
        self._runtime = runtime
        self._nodes = nodes
        self._zones = zones
        self._pending: dict[Zone, dict[str, None]] = {}
        self._last: dict[Zone, datetime] = {}
        self._queue = runtime.queue("node evictions", self._taint_next)

    async def follow(self, node: StoredObject, status: str | None) -> None:
        """Removes the taints of a node that is ready, and arranges for the one that another should have."""
        if status == "True":
            self.forget(node.name)
            await swap_taints(self._runtime, node, TaintSwap((), (NOT_READY, UNREACHABLE)))
            return
        if status is None:
            return
        swap = _swap(status)
        (wanted,), names = swap.missing, taint_names(node.document)
        if any(name in names for name in swap.surplus):
            await swap_taints(self._runtime, node, swap)
        elif wanted not in names:
            zone = zone_of(node.document)
            self._pending.setdefault(zone, {})[node.name] = None
            self._queue.add_after(zone, _PAUSE)

    def forget(self, name: str) -> None:
        """Adds no taint to a node."""
        for pending in self._pending.values():
            pending.pop(name, None)

    async def remove_all(self) -> None:
        """Removes all such taints. Raises ApiError."""
        for node in list(self._nodes):
            self.forget(node.name)
            await swap_taints(self._runtime, node, TaintSwap((), (NOT_READY, UNREACHABLE)))

    def rates_changed(self) -> None:
        """Looks again which nodes may get a taint now."""
        for zone in self._pending:
            self._queue.add_after(zone, _PAUSE)

    async def _taint_next(self, zone: Zone) -> None:
        pending = self._pending.get(zone, {})
        seconds = self._zones.seconds_per_node(zone)
        if not pending or seconds is None:
            return
        now = self._runtime.clock.now()
        if zone in self._last and (wait := seconds - (now - self._last[zone]).total_seconds()) > 0:
            self._queue.add_after(zone, wait)
            return
        name = next(iter(pending))
        del pending[name]
        node = self._nodes.get("", name)
        status = None if node is None else ready_status(node.document)
        if node is not None and status in ("False", "Unknown"):
            self._last[zone] = now
            await swap_taints(self._runtime, node, _swap(status))
        self._queue.add(zone)


def _swap(status: str) -> TaintSwap:
    wanted, other = (NOT_READY, UNREACHABLE) if status == "False" else (UNREACHABLE, NOT_READY)
    return TaintSwap((wanted,), (other,))
