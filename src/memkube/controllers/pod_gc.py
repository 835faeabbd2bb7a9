"""The pod garbage collector, which deletes pods that no other component deletes (``pkg/controller/podgc``).

These are ended pods above a threshold, pods of deleted nodes, terminating pods that were never scheduled, and
terminating pods on nodes that are out of service.
"""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.controllers.framework.pods_by_node import node_of
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

if TYPE_CHECKING:
    from memkube.apis.core.v1.pods.types import PodCondition

TERMINATED_PODS_KEPT: Final = 12_500
_PERIOD: Final = 20.0
_QUARANTINE: Final = timedelta(seconds=40)
_OUT_OF_SERVICE: Final = "node.kubernetes.io/out-of-service"
_ALIVE: Final = ("Pending", "Running", "Unknown")
_ENDED: Final = ("Succeeded", "Failed")
_ROUND: Final = "round"


class PodGarbageCollector:
    """Deletes pods that no other component deletes.

    It checks all pods every twenty seconds, while there may be such pods.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("pod gc", self._collect)
        self._began = runtime.clock.now()
        """Time at which the controller was started. Its periods are counted from this time."""
        self._missing_nodes: dict[str, datetime] = {}
        """Names of nodes that pods name and that do not exist, with the time from which these pods are deleted."""
        restored = runtime.keep("pod-gc", self._saved)
        for saved in restored:
            self._began = instant(saved["began"])
            self._missing_nodes = {name: instant(end) for name, end in saved["missing"].items()}
        self._pods = runtime.informers.of("", "v1", "pods")
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._by_node = runtime.pods_by_node
        self._ended: dict[str, StoredObject] = {}
        self._terminating: dict[str, StoredObject] = {}
        self._pods.subscribe(self._on_pod)
        self._nodes.subscribe(lambda old, new: self._arrange_round())
        if not restored:
            runtime.started.append(self._collect_at_start)

    def _saved(self) -> list[Document]:
        return [{"began": self._began, "missing": dict(self._missing_nodes)}]

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            if old is not None:
                self._ended.pop(old.uid, None)
                self._terminating.pop(old.uid, None)
            return
        for pods, is_one in ((self._ended, _is_ended(new)), (self._terminating, _is_terminating(new))):
            if is_one:
                pods[new.uid] = new
            else:
                pods.pop(new.uid, None)
        node = node_of(new)
        if _is_ended(new) or _is_terminating(new) or (node and self._nodes.get("", node) is None):
            self._arrange_round()

    def _arrange_round(self) -> None:
        passed = (self._runtime.clock.now() - self._began).total_seconds()
        self._queue.add_after(_ROUND, _PERIOD - passed % _PERIOD)

    def _collect_at_start(self) -> None:
        """Check all pods when the controller starts, if a pod has ended, is terminating, or is on an unknown node."""
        if self._ended or self._terminating or self._unknown_nodes():
            self._queue.add(_ROUND)

    def _unknown_nodes(self) -> list[str]:
        return [name for name in self._by_node.nodes() if self._nodes.get("", name) is None]

    async def _collect(self, _: str) -> None:
        failed = False
        for pod, condition in [*self._doomed(), *self._of_deleted_nodes()]:
            try:
                await self._fail_and_delete(pod, condition)
            except ApiError as error:
                failed = failed or error.reason != "NotFound"
        if self._missing_nodes or failed:
            self._arrange_round()

    def _doomed(self) -> list[tuple[StoredObject, "PodCondition | None"]]:
        surplus = len(self._ended) - TERMINATED_PODS_KEPT
        doomed = sorted(self._ended.values(), key=_deletion_order)[:surplus] if surplus > 0 else []
        doomed += [pod for pod in self._terminating.values() if self._is_stuck(pod)]
        return [(pod, None) for pod in doomed]

    def _is_stuck(self, pod: StoredObject) -> bool:
        """Return True if no kubelet will end this terminating pod: it is not bound, or its node is out of service."""
        name = node_of(pod)
        if not name:
            return True
        node = self._nodes.get("", name)
        return node is not None and _is_out_of_service(node.document)

    def _of_deleted_nodes(self) -> list[tuple[StoredObject, "PodCondition | None"]]:
        if self._runtime.catalog.find("", "v1", "nodes") is None:
            return []
        now = self._runtime.clock.now()
        ended = [name for name, end in self._missing_nodes.items() if end <= now]
        for name in ended:
            del self._missing_nodes[name]
        # As in Kubernetes, a new quarantine begins at once for a missing node whose pods are deleted now. When it ends,
        # the pods that were bound to the node in the meantime are deleted.
        for name in self._unknown_nodes():
            self._missing_nodes.setdefault(name, now + _QUARANTINE)
        deleted = [name for name in ended if self._nodes.get("", name) is None]
        return [(pod, _disruption_condition(pod)) for name in deleted for pod in self._by_node.on(name)]

    async def _fail_and_delete(self, pod: StoredObject, condition: "PodCondition | None") -> None:
        resource = self._runtime.registry.find("", "v1", "pods").resource
        now = written_now(self._runtime.clock)

        from memkube.apis.core.v1.pods.status import set_condition  # noqa: PLC0415  imported with the first pod
        from memkube.apis.core.v1.pods.types import Pod  # noqa: PLC0415  imported with the first pod

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            obj.status.phase = "Failed"
            obj.status.observedGeneration = obj.metadata.generation
            if condition is not None:
                set_condition(obj.status, condition, now)

        client = self._runtime.client
        if pod.document["status"].get("phase") not in _ENDED:
            await client.update(resource, pod, change, subresource="status")
        await client.delete(resource, pod.namespace, pod.name, DeleteOptions(gracePeriodSeconds=0))


def _disruption_condition(pod: StoredObject) -> "PodCondition":
    from memkube.apis.core.v1.pods.types import PodCondition  # noqa: PLC0415  imported with the first pod

    return PodCondition(
        type="DisruptionTarget",
        status="True",
        observedGeneration=pod.document["metadata"].get("generation", 0),
        reason="DeletionByPodGC",
        message="PodGC: node no longer exists",
    )


def _deletion_order(pod: StoredObject) -> tuple[bool, str, str]:
    """Sort key of ended pods, in the order of their deletion: evicted pods first, then older pods before newer pods."""
    status, metadata = pod.document["status"], pod.document["metadata"]
    evicted = status.get("phase") == "Failed" and status.get("reason") == "Evicted"
    return not evicted, metadata["creationTimestamp"], pod.name


def _is_ended(pod: StoredObject) -> bool:
    return pod.document["status"].get("phase", "") not in _ALIVE


def _is_terminating(pod: StoredObject) -> bool:
    return "deletionTimestamp" in pod.document["metadata"]


def _is_out_of_service(node: dict[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions") or []
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
    taints = node.get("spec", {}).get("taints") or []
    return not ready and any(taint["key"] == _OUT_OF_SERVICE for taint in taints)
