"""Taints that reflect the conditions of nodes, and NoExecute taints, which evict pods."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final, NamedTuple

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.nodes.types import Node, Taint
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant
from memkube.controllers.node_lifecycle.health import ready_status
from memkube.controllers.node_lifecycle.zones import Zone, Zones, zone_of
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

_PAUSE = 0.1
"""Seconds after a node's failure until it is tainted. If all nodes fail within this time, no node is tainted."""


class TaintName(NamedTuple):
    """Key and effect of a taint, which identify the taint on its node."""

    key: str
    effect: str


_NOT_READY: Final = "node.kubernetes.io/not-ready"


_UNREACHABLE: Final = "node.kubernetes.io/unreachable"


_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"


_KEYS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("Ready", "False"): _NOT_READY,
        ("Ready", "Unknown"): _UNREACHABLE,
        ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
        ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
        ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
        ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
    }
)


NOT_READY: Final = TaintName(_NOT_READY, "NoExecute")


UNREACHABLE: Final = TaintName(_UNREACHABLE, "NoExecute")


_NO_SCHEDULE: Final = frozenset(TaintName(key, "NoSchedule") for key in (*_KEYS.values(), _UNSCHEDULABLE))


class TaintSwap(NamedTuple):
    """A change of a node's taints: taints that are missing, and taints to be removed."""

    missing: Collection[TaintName]
    surplus: Collection[TaintName]


def no_schedule_swap(node: Document) -> TaintSwap:
    """Return the changes that make a node's NoSchedule taints match its conditions and ``spec.unschedulable``."""
    found = ((c["type"], c["status"]) for c in node["status"].get("conditions") or ())
    wanted = [TaintName(_KEYS[state], "NoSchedule") for state in found if state in _KEYS]
    if node["spec"].get("unschedulable"):
        wanted.append(TaintName(_UNSCHEDULABLE, "NoSchedule"))
    present = [name for name in taint_names(node) if name in _NO_SCHEDULE]
    return TaintSwap([name for name in wanted if name not in present], [name for name in present if name not in wanted])


def taint_names(node: Document) -> list[TaintName]:
    """Return the keys and effects of a node's taints."""
    return [TaintName(taint["key"], taint["effect"]) for taint in node["spec"].get("taints") or ()]


async def swap_taints(runtime: Runtime, node: StoredObject, swap: TaintSwap) -> StoredObject:
    """Add and remove the taints that `swap` names, and return the updated node. Raises ApiError if the update fails."""
    names = taint_names(node.document)
    if all(name in names for name in swap.missing) and not any(name in names for name in swap.surplus):
        return node

    now = written_now(runtime.clock)

    def change(obj: ApiObject) -> None:
        assert isinstance(obj, Node)
        kept = [taint for taint in obj.spec.taints if (taint.key, taint.effect) not in swap.surplus]
        present = {(taint.key, taint.effect) for taint in kept}
        added = [name for name in swap.missing if name not in present]
        obj.spec.taints = kept + [Taint(key=name.key, effect=name.effect, timeAdded=now) for name in added]

    resource = runtime.registry.find("", "v1", "nodes").resource
    return await runtime.client.update(resource, node, change)


class NoExecuteTaints:
    """Adds NoExecute taints to nodes that are not ready, and removes them from ready nodes.

    Taints are added at the eviction rate of the node's zone, and removed at once.
    """

    def __init__(self, runtime: Runtime, nodes: Informer, zones: Zones) -> None:
        self._runtime = runtime
        self._nodes = nodes
        self._zones = zones
        self._pending: dict[Zone, dict[str, None]] = {}
        self._last: dict[Zone, datetime] = {}
        self._queue = runtime.queue("node evictions", self._taint_next)

    async def follow(self, node: StoredObject, status: str | None) -> None:
        """Remove the NoExecute taints of a ready node, or plan to taint a node that is not ready.

        `status` is the status of the node's condition Ready.
        """
        if status == "True":
            await self.clear(node)
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

    def saved(self) -> list[Document]:
        """Return the time of the last NoExecute taint in each zone as JSON data, for a snapshot."""
        return [{"zone": zone, "at": at} for zone, at in self._last.items()]

    def restore(self, saved: Iterable[Document]) -> None:
        """Restore the time of the last NoExecute taint in each zone from the data of a snapshot.

        Raises ValueError, TypeError or KeyError for malformed data.
        """
        self._last = {Zone(*one["zone"]): instant(one["at"]) for one in saved}

    def forget(self, name: str) -> None:
        """Cancel the planned NoExecute taint of a node, if there is one."""
        for pending in self._pending.values():
            pending.pop(name, None)

    async def clear(self, node: StoredObject) -> StoredObject:
        """Remove the taints not-ready and unreachable with effect NoExecute from a node, and return the written Node.

        A planned taint of the node is cancelled. Raises ApiError if the update fails.
        """
        self.forget(node.name)
        return await swap_taints(self._runtime, node, TaintSwap((), (NOT_READY, UNREACHABLE)))

    async def remove_all(self) -> None:
        """Remove the NoExecute taints of all nodes. Raises ApiError if an update fails."""
        for node in list(self._nodes):
            await self.clear(node)

    def rates_changed(self) -> None:
        """Plan all future taints again, because the eviction rates of zones have changed."""
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
        self._last[zone] = now
        name = next(iter(pending))
        del pending[name]
        node = self._nodes.get("", name)
        status = None if node is None else ready_status(node.document)
        if node is not None and status in ("False", "Unknown"):
            await swap_taints(self._runtime, node, _swap(status))
        self._queue.add(zone)


def _swap(status: str) -> TaintSwap:
    wanted, other = (NOT_READY, UNREACHABLE) if status == "False" else (UNREACHABLE, NOT_READY)
    return TaintSwap((wanted,), (other,))
