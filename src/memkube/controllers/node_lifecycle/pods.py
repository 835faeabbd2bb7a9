"""Marks pods as not ready if their node is not ready (``pkg/controller/util/node``)."""

from typing import TYPE_CHECKING, Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.pods_by_node import node_of
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.node_lifecycle.health import ready_status
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

if TYPE_CHECKING:
    from memkube.apis.core.v1.references import ObjectReference

NODE_EVENTS: Final = "node-controller"
POD_NOT_READY: Final = Report("Warning", "NodeNotReady", "Node is not ready")


def reference_to_node(node: StoredObject) -> "ObjectReference":
    """Return an ObjectReference to a node for Events of controllers. It has no resourceVersion."""
    from memkube.apis.core.v1.references import ObjectReference  # noqa: PLC0415  imported with the first event

    return ObjectReference(kind="Node", apiVersion="v1", name=node.name, uid=node.uid)


def registered(node: str) -> Report:
    """Return the Event RegisteredNode about a new node."""
    return Report("Normal", "RegisteredNode", f"Node {node} event: Registered Node {node} in Controller")


def removed(node: str) -> Report:
    """Return the Event RemovingNode about a deleted node."""
    return Report("Normal", "RemovingNode", f"Node {node} event: Removing Node {node} from Controller")


def status_change(node: str, status: str) -> Report:
    """Return the Event about a node whose status has changed, such as NodeNotReady."""
    return Report("Normal", status, f"Node {node} status is now: {status}")


class _Key(NamedTuple):
    """Key in the work queue: a pod whose condition Ready may have to become False."""

    namespace: str
    name: str
    certain: bool
    """True if the pod's node is known to be not ready, even if the informer still has an older revision of the node."""


class PodsNotReady:
    """Sets the condition Ready of a pod to False if its node is not ready, even if the pod is bound later."""

    def __init__(self, runtime: Runtime, nodes: Informer, events: EventRecorder) -> None:
        self._runtime = runtime
        self._nodes = nodes
        self._events = events
        self._resource = runtime.registry.find("", "v1", "pods").resource
        self._pods = runtime.informers.of("", "v1", "pods")
        self._by_node = runtime.pods_by_node
        self._queue = runtime.queue("pods of silent nodes", self._sync)
        self._pods.subscribe(self._on_pod)

    def mark_all(self, node: str) -> None:
        """Queue all pods of a node that no longer sends heartbeats, to set their condition Ready to False."""
        for pod in self._by_node.on(node):
            self._queue.add(_Key(pod.namespace, pod.name, certain=True))

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and node_of(new) and (old is None or not node_of(old)):
            self._queue.add(_Key(new.namespace, new.name, certain=False))

    async def _sync(self, key: _Key) -> None:
        pod = self._pods.get(key.namespace, key.name)
        if pod is None or not (key.certain or self._is_on_silent_node(pod)):
            return
        conditions = pod.document["status"].get("conditions") or ()
        if not any(c["type"] == "Ready" and c["status"] != "False" for c in conditions):
            return
        now = written_now(self._runtime.clock)

        def change(obj: ApiObject) -> None:
            # The types of pods are large, so they are imported with the first pod.
            from memkube.apimachinery.meta.v1.condition import find_condition  # noqa: PLC0415
            from memkube.apis.core.v1.pods.types import Pod  # noqa: PLC0415

            assert isinstance(obj, Pod)
            ready = find_condition(obj.status.conditions, "Ready")
            if ready is not None and ready.status != "False":
                ready.status, ready.lastTransitionTime = "False", now

        try:
            await self._runtime.client.update(self._resource, pod, change, subresource="status")
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise
            return
        await self._events.record(pod, POD_NOT_READY)

    def _is_on_silent_node(self, pod: StoredObject) -> bool:
        node = self._nodes.get("", node_of(pod))
        return node is not None and ready_status(node.document) in ("False", "Unknown")
