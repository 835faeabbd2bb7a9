"""The node lifecycle controller: taints nodes that stop sending heartbeats (``node_lifecycle_controller.go``).

Kubernetes checks all nodes every five seconds. This controller checks a node when the node changes, or when its grace
period without heartbeats ends.
"""

from typing import Final

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.nodes.types import Node
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.node_lifecycle.health import Heartbeats, make_unknown, missing_labels, ready_status
from memkube.controllers.node_lifecycle.pods import (
    NODE_EVENTS,
    PodsNotReady,
    reference_to_node,
    registered,
    removed,
    status_change,
)
from memkube.controllers.node_lifecycle.taints import NoExecuteTaints, no_schedule_swap, swap_taints
from memkube.controllers.node_lifecycle.zones import Zones, is_excluded, zone_of
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

_LEASE_NAMESPACE: Final = "kube-node-lease"


class NodeLifecycleController:
    """Detects nodes without heartbeats, and keeps the taints of all nodes consistent with their conditions."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._resource = runtime.registry.find("", "v1", "nodes").resource
        self._events = EventRecorder(runtime, NODE_EVENTS)
        self._heartbeats = Heartbeats()
        self._zones = Zones()
        self._known: dict[str, StoredObject] = {}
        """Nodes whose registration was reported with an Event, by name."""
        self._reported: dict[str, str] = {}
        """Uids of the nodes that were reported before a restart or restore, by name."""
        kept_taints: list[Document] = []
        for saved in runtime.keep("node-lifecycle", self._saved):
            self._heartbeats.restore(saved["heartbeats"])
            self._reported = dict(saved["reported"])
            self._zones.restore(saved["zones"])
            kept_taints = saved["taints"]
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._upkeep_queue = runtime.queue("node taints", self._update_taints_and_labels)
        self._queue = runtime.queue("node lifecycle", self._sync)
        self._no_execute = NoExecuteTaints(runtime, self._nodes, self._zones)
        self._no_execute.restore(kept_taints)
        self._pods = PodsNotReady(runtime, self._nodes, self._events)
        self._nodes.subscribe(self._on_node)
        runtime.informers.of("coordination.k8s.io", "v1", "leases").subscribe(self._on_lease)

    def _saved(self) -> list[Document]:
        reported = self._reported | {name: node.uid for name, node in self._known.items()}
        zones, taints = self._zones.saved(), self._no_execute.saved()
        return [{"heartbeats": self._heartbeats.saved(), "reported": reported, "zones": zones, "taints": taints}]

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        node = new or old
        assert node is not None
        if new is not None:
            self._heartbeats.see_node(new, self._runtime.clock.now())
            self._upkeep_queue.add(new.name)
        self._queue.add(node.name)

    def _on_lease(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and new.namespace == _LEASE_NAMESPACE:
            self._heartbeats.see_lease(new, self._runtime.clock.now())

    async def _update_taints_and_labels(self, name: str) -> None:
        """Update a node's NoSchedule taints, and its deprecated labels such as ``beta.kubernetes.io/os``."""
        node = self._nodes.get("", name)
        if node is None:
            return
        if labels := missing_labels(node.labels):
            node = await self._add_labels(node, labels)
        await swap_taints(self._runtime, node, no_schedule_swap(node.document))

    async def _add_labels(self, node: StoredObject, labels: dict[str, str]) -> StoredObject:
        def change(obj: ApiObject) -> None:
            obj.metadata.labels = {**obj.metadata.labels, **labels}

        return await self._runtime.client.update(self._resource, node, change)

    async def _sync(self, name: str) -> None:
        node = self._nodes.get("", name)
        known = self._known.get(name)
        if known is not None and (node is None or node.uid != known.uid):
            await self._forget(known)
        if node is None:
            return
        if name not in self._known:
            self._known[name] = node
            if self._reported.pop(name, "") != node.uid:
                await self._events.record(reference_to_node(node), registered(name))
                node = await self._no_execute.clear(node)
        observed = ready_status(node.document)
        left = self._heartbeats.grace_left(name, self._runtime.clock.now())
        if left > 0:
            self._queue.add_after(name, left)
        elif observed != "Unknown":
            node = await self._make_unknown(node)
        await self._judge(node, went_silent=observed == "True" and left <= 0)

    async def _forget(self, node: StoredObject) -> None:
        """Record the Event about a deleted node, and drop its state. Heartbeats are kept if a new node has its name."""
        del self._known[node.name]
        self._zones.remove(node.name)
        self._no_execute.forget(node.name)
        if self._nodes.get("", node.name) is None:
            self._heartbeats.forget(node.name)
        await self._events.record(reference_to_node(node), removed(node.name))
        await self._evaluate_zones()

    async def _make_unknown(self, node: StoredObject) -> StoredObject:

        now = written_now(self._runtime.clock)

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Node)
            obj.metadata.resourceVersion = node.resource_version
            make_unknown(obj, now)

        return await self._runtime.client.update(self._resource, node, change, subresource="status")

    async def _judge(self, node: StoredObject, *, went_silent: bool) -> None:
        """Update a node's NoExecute taints according to its condition Ready, and evaluate the zones again.

        If `went_silent` is True, its pods are marked as not ready.
        """
        status = ready_status(node.document)
        if is_excluded(node.document):
            self._zones.remove(node.name)
        else:
            self._zones.put(node.name, zone_of(node.document), ready=status == "True")
        await self._no_execute.follow(node, status)
        if went_silent:
            await self._events.record(reference_to_node(node), status_change(node.name, "NodeNotReady"))
            self._pods.mark_all(node.name)
        await self._evaluate_zones()

    async def _evaluate_zones(self) -> None:
        change = self._zones.evaluate()
        if change == "entered":
            await self._no_execute.remove_all()
        elif change == "left":
            self._heartbeats.see_all(self._runtime.clock.now())
        if change != "none":
            for node in self._nodes:
                self._queue.add(node.name)
            self._no_execute.rates_changed()
