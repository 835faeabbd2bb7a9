"""The kubelets of the simulated nodes: they run the pods that are bound to them, and say how those are."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from heapq import heappop, heappush
from ipaddress import IPv4Network
from typing import NamedTuple

from memkube.apimachinery.errors import ApiError, internal_error
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.streams import NodeConnections
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.event_recorder import EventRecorder, Report
from memkube.controllers.kubelet.behavior import ContainerRules, container_behavior
from memkube.controllers.kubelet.connections.pod_connections import PodConnections
from memkube.controllers.kubelet.pod import SimulatedPod
from memkube.controllers.kubelet.pod_status import NodeView, pod_status
from memkube.controllers.kubelet.setting import Setting
from memkube.controllers.kubelet.surroundings import InformedObjects, Surroundings
from memkube.controllers.nodes.description import KUBELET_PORT, RESOURCES, SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.controllers.runtime import Runtime
from memkube.registry.stored import StoredObject

_FIRST = 2
"""The first address of a network is the network's, the second one the node's own."""


class PodAddresses:
    """Gives out the addresses of a network, the lowest free one each time."""

    def __init__(self, network: IPv4Network) -> None:
        self._network = network
        self._next = _FIRST
        self._free: list[int] = []
        self._taken: dict[str, int] = {}

    def take(self, uid: str) -> str:
        """The address of a pod, the same one each time it is asked for."""
        number = self._taken.get(uid)
        if number is None:
            if self._free:
                number = heappop(self._free)
            else:
                number, self._next = self._next, self._next + 1
            self._taken[uid] = number
        return str(self._network.network_address + number)

    def give_back(self, uid: str) -> None:
        """Frees the address of a pod."""
        number = self._taken.pop(uid, None)
        if number is not None:
            heappush(self._free, number)


class PodKey(NamedTuple):
    """The name of a pod."""

    namespace: str
    name: str


@dataclass(slots=True)
class _Host:
    """What a node shares among its pods."""

    machine: SimulatedNode
    addresses: PodAddresses
    recorder: EventRecorder
    images: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Held:
    """A pod that a node has taken on."""

    host: _Host
    pod: SimulatedPod
    written: str = ""
    """The revision that the node's own last write made, of which it need not be told."""
    is_removed: bool = False


class Kubelet:
    """Runs the pods of the simulated nodes; others find those as SimulatedNodes, and rules as ContainerRules."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._client = runtime.client_of("kubelet")
        self._resource = runtime.registry.find("", "v1", "pods").resource
        self._nodes = SimulatedNodes(runtime)
        self._rules = ContainerRules()
        self._objects = InformedObjects(runtime)
        self._pods = runtime.informers.of("", "v1", "pods")
        self._queue = runtime.queue("kubelet", self._sync)
        self._hosts: dict[str, _Host] = {}
        self._held: dict[PodKey, _Held] = {}
        runtime.registry.provide(SimulatedNodes, self._nodes)
        runtime.registry.provide(ContainerRules, self._rules)
        most_sessions = runtime.options.sessions_per_pod
        connections = PodConnections(self.simulated, self._touched, self._clock, most_sessions)
        runtime.registry.provide(NodeConnections, connections)
        self._pods.subscribe(self._pod_changed)
        self._nodes.subscribe(self._node_changed)
        self._objects.subscribe(self._object_changed)

    def simulated(self, pod: Pod) -> SimulatedPod | None:
        """The pod as its node knows it. Raises ApiError 500 where the node does not answer."""
        machine = self._nodes.get(pod.spec.nodeName)
        if machine is not None and machine.failed:
            host = f"{machine.host_ip}:{KUBELET_PORT}"
            raise internal_error(f"error dialing backend: dial tcp {host}: connect: connection refused")
        held = self._held.get(PodKey(pod.metadata.namespace, pod.metadata.name))
        return held.pod if held is not None and held.pod.uid == pod.metadata.uid else None

    def _touched(self, pod: Pod) -> None:
        self._queue.add(PodKey(pod.metadata.namespace, pod.metadata.name))

    def _pod_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        assert pod is not None
        if self._nodes.get(pod.document["spec"].get("nodeName", "")) is None:
            return
        key = PodKey(pod.namespace, pod.name)
        held = self._held.get(key)
        if held is None or new is None or held.written != new.resource_version:
            self._queue.add(key)

    def _node_changed(self, name: str) -> None:
        for pod in self._pods_of(name):
            self._queue.add(PodKey(pod.namespace, pod.name))

    def _object_changed(self, namespace: str) -> None:
        for key, held in self._held.items():
            if key.namespace == namespace and held.pod.lacks_objects:
                held.pod.hurry()
                self._queue.add(key)

    def _pods_of(self, node: str) -> Iterator[StoredObject]:
        return (pod for pod in self._pods if pod.document["spec"].get("nodeName") == node)

    async def _sync(self, key: PodKey) -> None:
        stored, held = self._pods.get(*key), self._held.get(key)
        if held is not None and (stored is None or stored.uid != held.pod.uid):
            self._forget(key, held)
            held = None
        if stored is None:
            return
        machine = self._nodes.get(stored.document["spec"].get("nodeName", ""))
        if machine is None or machine.failed:
            return
        pod = Pod.from_document(stored.document)
        if held is None:
            held = self._held[key] = self._accept(pod, machine)
            if pod.metadata.deletionTimestamp is None and pod.status.phase not in ("Succeeded", "Failed"):
                if pod.status.startTime is None:
                    held.pod.start_at(Time.at(self._clock.now()).instant)
                stored = await self._write_status(held, stored, pod)
                pod = Pod.from_document(stored.document)
        reports: list[Report] = []
        held.pod.step(self._setting(held, pod, reports))
        for report in reports:
            await held.host.recorder.record(stored, report)
        stored = await self._write_status(held, stored, pod)
        if pod.metadata.deletionTimestamp is not None and not held.pod.is_running:
            await self._remove(held, stored)
        elif (due := held.pod.due) is not None:
            self._queue.add_after(key, (due - self._clock.now()).total_seconds())
        # Requests get their turn between the steps of many pods.
        await asyncio.sleep(0)

    def _accept(self, pod: Pod, machine: SimulatedNode) -> _Held:
        host = self._hosts.get(machine.name)
        if host is None:
            recorder = EventRecorder(self._runtime, "kubelet", machine.name, "kubelet")
            host = self._hosts[machine.name] = _Host(machine, PodAddresses(machine.pod_network), recorder)
        address = machine.host_ip if pod.spec.hostNetwork else host.addresses.take(pod.metadata.uid)
        return _Held(host, SimulatedPod(pod, address, host.images))

    def _forget(self, key: PodKey, held: _Held) -> None:
        del self._held[key]
        held.pod.abandon(self._clock.now())
        held.host.addresses.give_back(held.pod.uid)

    def _setting(self, held: _Held, pod: Pod, reports: list[Report]) -> Setting:
        surroundings = Surroundings(pod, held.pod.pod_ip, held.host.machine.host_ip, self._objects, RESOURCES)
        return Setting(
            now=self._clock.now(),
            surroundings=surroundings,
            volumes=held.pod.volumes,
            behavior=lambda container: container_behavior(self._rules, pod, container),
            report=reports.append,
            options=self._runtime.options,
        )

    async def _write_status(self, held: _Held, stored: StoredObject, pod: Pod) -> StoredObject:
        machine = held.host.machine
        node = NodeView(machine.host_ip, self._clock.now(), partial(self._shown, machine.name))
        if pod_status(pod, held.pod, node).to_document() == stored.document["status"]:
            return stored

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            obj.status = pod_status(obj, held.pod, node)

        try:
            written = await self._client.update(self._resource, stored, change, subresource="status")
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return stored
        held.written = written.resource_version
        return written

    def _shown(self, node: str, instant: datetime) -> Time:
        """An instant as a node writes it, whose clock may have been wrong then."""
        faults = self._runtime.registry.faults
        return Time.at(instant + faults.drift(node, instant) if faults.drifting else instant)

    async def _remove(self, held: _Held, stored: StoredObject) -> None:
        """Lets go of a pod whose containers have all ended."""
        if held.is_removed:
            return
        options = DeleteOptions(gracePeriodSeconds=0, preconditions=Preconditions(uid=stored.uid))
        try:
            await self._client.delete(self._resource, stored.namespace, stored.name, options)
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise
        held.is_removed = True
