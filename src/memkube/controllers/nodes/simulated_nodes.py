"""Registers simulated nodes, and sends their heartbeats (``pkg/kubelet/kubelet_node_status.go``)."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.nodes.types import Node, NodeStatus
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import NODES, instant, instant_or_none
from memkube.controllers.framework.staged_kinds import NODES as NODE_KIND
from memkube.controllers.nodes.description import (
    adopt,
    changed_conditions,
    has_other_boot,
    is_status_current,
    new_node,
    reported_status,
)
from memkube.controllers.nodes.leases import NodeLease
from memkube.controllers.nodes.machines import Machines
from memkube.controllers.nodes.resources import PressureType
from memkube.controllers.nodes.simulated_node import SimulatedNode
from memkube.controllers.options import MOST_NODES
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    from memkube.controllers.nodes.pools import NodePool

STARTING: Final = Report("Normal", "Starting", "Starting kubelet.")
_REASONS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("MemoryPressure", "False"): "NodeHasSufficientMemory",
        ("MemoryPressure", "True"): "NodeHasInsufficientMemory",
        ("DiskPressure", "False"): "NodeHasNoDiskPressure",
        ("DiskPressure", "True"): "NodeHasDiskPressure",
        ("PIDPressure", "False"): "NodeHasSufficientPID",
        ("PIDPressure", "True"): "NodeHasInsufficientPID",
        ("Ready", "True"): "NodeReady",
    }
)
Listener: TypeAlias = Callable[[str], None]
"""Function that is called with the name of a simulated node when its state changes.

The node has failed, recovered, was cut off, reconnected or removed.
"""
_HEARTBEAT_SECONDS: Final = 10.0
_REPORT_PERIOD: Final = timedelta(minutes=5)
_OVERTAKEN: Final = ("AlreadyExists", "Conflict", "Forbidden", "NotFound")
"""Reasons of API errors after which a heartbeat is skipped: the object or its namespace was changed or deleted."""
_HEARTBEAT: Final = ""
"""Key in the work queue that stands for the next heartbeats of all nodes."""


def own_node(name: str) -> "ObjectReference":
    """Return the ObjectReference that a kubelet writes in Events about its own node. Its uid is the node's name."""
    return ObjectReference(kind="Node", name=name, uid=name)


def changed(node: str, condition: str, status: str) -> Report:
    """Return the Event about a node condition that has a new status."""
    reason = _REASONS[condition, status]
    return Report("Normal", reason, f"Node {node} status is now: {reason}")


def rebooted(machine: SimulatedNode) -> Report:
    """Return the Event about a node that was rebooted."""
    return Report("Warning", "Rebooted", f"Node {machine.name} has been rebooted, boot id: {machine.identities[2]}")


class SimulatedNodes:
    """The simulated machines of this server. Their kubelets register Nodes, renew Leases and report the Nodes' status.

    A Node that has the name of no machine has no kubelet. If the Node of a machine is deleted, it is missing until the
    kubelet restarts (`recover`) and registers it again, or until a user creates it again.

    While Stages apply to Nodes, the kubelets report no status.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._client = runtime.client_of("kubelet")
        self._cloud = runtime.client_of("cloud-controller-manager")
        self._node_resource = runtime.registry.find("", "v1", "nodes").resource
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._staged = runtime.staged_kinds
        runtime.machines = self
        self._lease = NodeLease(runtime, "kubelet")
        self._reported: dict[str, tuple[str, datetime]] = {}
        """Revision and time of the last status report of each node, by name."""
        self._starting: set[str] = set()
        """Names of the nodes whose kubelets are starting."""
        self._listeners: list[Listener] = []
        self._reboot_listeners: list[Listener] = []
        runtime.closing += (self._listeners.clear, self._reboot_listeners.clear)
        self._recorders: dict[str, EventRecorder] = {}
        self._queue = runtime.queue("nodes", self._sync)
        self._machines = Machines(runtime)
        kept = runtime.keep(NODES, self._saved)
        for one in kept:
            self._restore(one)
        if not kept and not self._machines.is_restored:
            self._machines.make_initial()
        for machine in self:
            self._take(machine)
        if len(self._machines):
            due = instant_or_none(kept[0]["beats"]) if kept else None
            left = _HEARTBEAT_SECONDS if due is None else (due - self._clock.now()).total_seconds()
            self._queue.add_after(_HEARTBEAT, min(left, _HEARTBEAT_SECONDS))

    def _take(self, machine: SimulatedNode) -> None:
        if machine.name not in self._reported or machine.name in self._starting:
            self._queue.add(machine.name)

    def _saved(self) -> list[Document]:
        beats = self._queue.due(_HEARTBEAT)
        return [
            {
                **self._machines.saved(machine),
                "starting": machine.name in self._starting,
                "reported": self._reported.get(machine.name),
                "beats": beats,
            }
            for machine in self
        ]

    def _restore(self, saved: Document) -> None:
        """Restore a machine from JSON data. Raises ValueError, TypeError or KeyError for malformed data."""
        machine = self._machines.restore(saved)
        if saved["reported"] is not None:
            revision, at = saved["reported"]
            self._reported[machine.name] = str(int(revision) + self._runtime.restored.revision_shift), instant(at)
        if saved["starting"]:
            self._starting.add(machine.name)

    def get(self, name: str) -> SimulatedNode | None:
        """Return the machine of a node, or None if the node is not simulated."""
        return self._machines.get(name)

    def __iter__(self) -> Iterator[SimulatedNode]:
        return iter(self._machines)

    @property
    def pools(self) -> Mapping[str, "NodePool"]:
        """The node pools by name."""
        return self._machines.pools

    def of_pool(self, pool: str) -> list[SimulatedNode]:
        """Return the machines of a node pool, in the order in which they were added."""
        return self._machines.of_pool(pool)

    def template(self, pool: str, others: int) -> SimulatedNode:
        """Return the machine that a node pool would get next, if `others` other machines were added before.

        No machine is added. Raises KeyError for an unknown pool.
        """
        return self._machines.template(pool, others)

    def subscribe(self, listener: Listener) -> None:
        """Register a function that is called when a node fails, recovers, is cut off, is reconnected or is removed."""
        self._listeners.append(listener)

    def on_reboot(self, listener: Listener) -> None:
        """Register a function that is called when a node's machine reboots, before its kubelet starts."""
        self._reboot_listeners.append(listener)

    async def add(self, pool: str, count: int = 1, zone: str = "") -> list[SimulatedNode]:
        """Add `count` machines to a node pool, or outside of pools if `pool` is empty. Their Nodes are created later.

        Without a `zone`, zones are assigned in turn. Raises KeyError for an unknown pool. Raises ValueError, without
        adding any machine, if there would be too many.
        """
        if len(self._machines) + count > MOST_NODES:
            raise ValueError(
                f"the number of nodes must be at most {MOST_NODES}: there are {len(self._machines)}, "
                f"so {count} cannot be added"
            )
        machines = [self._machines.add(pool, zone) for _ in range(count)]
        for machine in machines:
            self._take(machine)
        if machines and self._queue.due(_HEARTBEAT) is None and not self._queue.has(_HEARTBEAT):
            self._queue.add_after(_HEARTBEAT, _HEARTBEAT_SECONDS)
        for machine in machines:
            await self._machines.share(machine)
        return machines

    async def remove(self, name: str) -> SimulatedNode:
        """Remove the machine of a node with its pods, and delete its Node, as a cloud provider does.

        Raises KeyError for a node that is not simulated.
        """
        machine = self._machines.remove(name)
        self._reported.pop(name, None)
        self._starting.discard(name)
        self._recorders.pop(name, None)
        self._notify(name)
        await self._machines.share(machine)
        await self._delete_node(name)
        return machine

    async def _delete_node(self, name: str) -> None:
        with ignoring_absence():
            await self._cloud.delete(self._node_resource, "", name, DeleteOptions())

    def fail(self, name: str) -> None:
        """Stop the kubelet of a simulated node. Raises KeyError for a node that is not simulated."""
        machine = self._machine(name)
        if not machine.failed:
            machine.failed = True
            self._notify(name)

    def recover(self, name: str) -> None:
        """Start the stopped kubelet of a simulated node. If the Node was deleted, the kubelet registers it again.

        Raises KeyError for a node that is not simulated.
        """
        machine = self._machine(name)
        if machine.failed:
            machine.failed = False
            self._notify(name)
            self._start(name)

    def partition(self, name: str) -> None:
        """Cut a simulated node off from the API server. Its pods keep running.

        Raises KeyError for a node that is not simulated.
        """
        machine = self._machine(name)
        if not machine.partitioned:
            machine.partitioned = True
            self._notify(name)

    def heal(self, name: str) -> None:
        """Reconnect a node that was cut off. Its kubelet reports at once what has changed in the meantime.

        Raises KeyError for a node that is not simulated.
        """
        machine = self._machine(name)
        if machine.partitioned:
            machine.partitioned = False
            self._notify(name)
            self._queue.add(name)

    def reboot(self, name: str) -> None:
        """Reboot the machine of a simulated node: its containers end, and its kubelet starts with a new boot ID.

        Raises KeyError for a node that is not simulated.
        """
        machine = self._machine(name)
        machine.reboot(self._runtime.registry.kind_services.random_values)
        for listener in self._reboot_listeners:
            listener(name)
        if machine.failed:
            machine.failed = False
            self._notify(name)
        self._start(name)

    def _start(self, name: str) -> None:
        """Start the kubelet of a node. It registers its Node, or reports the status of an existing Node."""
        self._starting.add(name)
        self._queue.add(name)

    async def share(self, name: str) -> None:
        """Tell other servers on the same storage whether a node has failed or is cut off.

        Raises KeyError for a node that is not simulated.
        """
        await self._machines.share(self._machine(name))

    def _machine(self, name: str) -> SimulatedNode:
        machine = self._machines.get(name)
        if machine is None:
            raise KeyError(name)
        return machine

    def _notify(self, name: str) -> None:
        for listener in self._listeners:
            listener(name)

    def set_pressures(self, machine: SimulatedNode, pressures: tuple[PressureType, ...]) -> None:
        """Set which pressure conditions of a node are True. The node's kubelet reports a change at once."""
        if machine.pressures != pressures:
            machine.pressures = pressures
            if machine.name in self._reported and self._nodes.get("", machine.name) is not None:
                self._queue.add(machine.name)

    async def _sync(self, key: str) -> None:
        if key == _HEARTBEAT:
            self._queue.add_after(_HEARTBEAT, _HEARTBEAT_SECONDS)
            await self._heartbeats()
            return
        machine, node = self._machines.get(key), self._nodes.get("", key)
        if machine is None or machine.is_silent:
            return
        if node is None or key in self._starting or key not in self._reported:
            await self._register(machine)
        elif NODE_KIND not in self._staged:
            try:
                await self._report_at_once(machine, node)
            except ApiError as error:
                if error.reason not in ("Forbidden", "NotFound"):
                    raise

    async def _heartbeats(self) -> None:
        for machine in self:
            node = self._nodes.get("", machine.name)
            if node is None or machine.is_silent or self._machines.get(machine.name) is not machine:
                continue
            try:
                await self._lease.renew(node)
                await self._report(machine, node)
            except ApiError as error:
                if error.reason not in _OVERTAKEN:
                    raise
            # The heartbeats of many nodes are due at the same time: let the event loop serve requests in between.
            await asyncio.sleep(0)

    async def _register(self, machine: SimulatedNode) -> None:
        document = new_node(machine, Time.at(self._runtime.now_at(machine.name)))
        if machine.name in self._starting:
            self._starting.discard(machine.name)
            await self.tell(machine, STARTING)
        try:
            node = self._node_resource.model.from_document(document)
            stored = await self._client.create(self._node_resource, node, "")
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise
            known = await self._client.get(self._node_resource, "", machine.name)
            if machine.name not in self._reported:
                adopt(machine, known)
            stored = known if NODE_KIND in self._staged else await self._write_report(machine, known)
        if self._machines.get(machine.name) is not machine:
            # The machine was removed while its kubelet was registering the Node: delete the Node again.
            await self._delete_node(machine.name)
            return
        self._reported[machine.name] = stored.resource_version, self._clock.now()
        await self._lease.renew(stored)

    async def _report(self, machine: SimulatedNode, node: StoredObject) -> None:
        """Report the status of a node if the report interval has passed, or another client has changed the status."""
        if NODE_KIND in self._staged:
            return
        revision, at = self._reported.get(machine.name, ("", self._clock.now()))
        due = self._clock.now() - at >= _REPORT_PERIOD
        if not due and (node.resource_version == revision or is_status_current(node, machine)):
            self._reported[machine.name] = node.resource_version, at
            return
        await self._report_at_once(machine, node)

    async def _report_at_once(self, machine: SimulatedNode, node: StoredObject) -> None:
        stored = await self._write_report(machine, node)
        self._reported[machine.name] = stored.resource_version, self._clock.now()

    async def _write_report(self, machine: SimulatedNode, node: StoredObject) -> StoredObject:

        now = Time.at(self._runtime.now_at(machine.name))

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Node)
            obj.status = NodeStatus.from_document(reported_status(obj.status.to_document(), machine, now))

        changes, is_rebooted = changed_conditions(node, machine), has_other_boot(node, machine)
        written = await self._client.update(self._node_resource, node, change, subresource="status")
        if is_rebooted:
            await self.tell(machine, rebooted(machine))
        for condition, status in changes:
            await self.tell(machine, changed(machine.name, condition, status))
        return written

    async def tell(self, machine: SimulatedNode, what: Report) -> None:
        """Record the Event `what` about a node, unless the node's kubelet cannot reach the API server now."""
        if machine.is_silent:
            return
        recorder = self._recorders.get(machine.name)
        if recorder is None:
            recorder = EventRecorder(self._runtime, "kubelet", machine.name, "kubelet")
            self._recorders[machine.name] = recorder
        await recorder.record(own_node(machine.name), what)
