"""Drains and removes the nodes that the cluster autoscaler does not need (``core/scaledown/actuation``)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.nodes.types import Node, Taint
from memkube.controllers.cluster_autoscaler.reporting import COMPONENT, Reporting
from memkube.controllers.cluster_autoscaler.scale_down import DEFAULT_GRACE, Removal, is_daemon, is_mirror
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.controllers.scheduler.pod_info import PodInfo, is_ended
from memkube.registry.declarations.resource import CreateSubresource
from memkube.registry.objects.stored import StoredObject

TO_BE_DELETED: Final = "ToBeDeletedByClusterAutoscaler"
"""Key of the taint on a node that the autoscaler is removing."""
CANDIDATE: Final = "DeletionCandidateOfClusterAutoscaler"
"""Key of the taint on a node that is not needed and may be removed later."""
_DELAY: Final = 5.0
"""Seconds between tainting a node and evicting its pods (``--node-delete-delay-after-taint``)."""
_MOST_GRACE: Final = 600
"""Maximum grace period of an evicted pod in seconds (``--max-graceful-termination-sec``)."""
_EVICTION_RETRY: Final = 10.0
_MOST_EVICTION: Final = timedelta(minutes=2)
_WAIT: Final = 5.0
_MOST_WAIT: Final = timedelta(minutes=10, seconds=30)


class NodeTaint(NamedTuple):
    """A taint that the autoscaler adds to nodes.

    The taint's value is the time of its addition, in seconds since 1970.
    """

    key: str
    effect: str


DELETION_TAINT: Final = NodeTaint(TO_BE_DELETED, "NoSchedule")
CANDIDATE_TAINT: Final = NodeTaint(CANDIDATE, "PreferNoSchedule")


@dataclass(slots=True)
class Deletion:
    """A node that is being removed: its pool, the current phase, and the pods whose eviction was accepted."""

    pool: str
    drains: bool
    phase: Literal["delay", "evict", "wait"] = "delay"
    until: datetime | None = None
    """Time at which the removal of the node fails unless it has left the phase ``evict`` or ``wait``."""
    evicted: dict[str, str] = field(default_factory=dict)
    """Namespace and name of each pod whose eviction the API server has accepted, by uid."""
    announced: set[str] = field(default_factory=set)
    """Uids of the pods for which an Event about their eviction was recorded."""


class Deletions:
    """Removes nodes step by step: adds a taint, waits a moment, evicts the pods, waits for their end, removes nodes.

    `failed` is called, without arguments, when the removal of a node has failed.
    """

    def __init__(
        self, runtime: Runtime, cloud: SimulatedNodes, reporting: Reporting, failed: Callable[[], None]
    ) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._cloud = cloud
        self._reporting = reporting
        self._failed = failed
        self._client = runtime.client_of(COMPONENT)
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._node_resource = runtime.registry.find("", "v1", "nodes").resource
        self._pod_resource = runtime.registry.find("", "v1", "pods").resource
        self._pods = runtime.informers.of("", "v1", "pods")
        self._by_node = runtime.pods_by_node
        self.running: dict[str, Deletion] = {}
        """The removals of nodes that are in progress, by the name of the node."""
        self._queue = runtime.queue("cluster-autoscaler-deletions", self._step)

    def saved(self) -> list[Document]:
        """Return the unfinished removals of nodes as JSON data, for a snapshot."""
        return [
            {
                "node": name,
                "pool": one.pool,
                "drains": one.drains,
                "phase": one.phase,
                "until": one.until,
                "evicted": one.evicted,
                "announced": sorted(one.announced),
                "due": self._queue.due(name),
            }
            for name, one in self.running.items()
        ]

    def restore(self, saved: Document) -> None:
        """Continue the removal of a node. `saved` is an item of the list that the method `saved` returned.

        Raises ValueError, TypeError or KeyError for malformed data.
        """
        until, due = saved["until"], saved["due"]
        self.running[saved["node"]] = Deletion(
            saved["pool"],
            saved["drains"],
            saved["phase"],
            None if until is None else instant(until),
            dict(saved["evicted"]),
            set(saved["announced"]),
        )
        left = 0.0 if due is None else (instant(due) - self._clock.now()).total_seconds()
        self._queue.add_after(saved["node"], left)

    def of_pool(self, pool: str) -> int:
        """Return the number of nodes of a node pool that are being removed."""
        return sum(one.pool == pool for one in self.running.values())

    async def begin(self, node: StoredObject, pool: str, removal: Removal) -> None:
        """Begin to remove a node of the node pool `pool`: taint it, and queue the next step of the removal.

        `removal` has the pods that must move to other nodes. If the taint cannot be added, the node is kept, and an
        Event reports the error.
        """
        try:
            stored = await self.taint(node, DELETION_TAINT)
        except ApiError as error:
            what = f"failed to mark the node as toBeDeleted/unschedulable: {error.message}"
            await self._reporting.warn(node, what)
            return
        await self._reporting.record(stored, "ScaleDown", "marked the node as toBeDeleted/unschedulable")
        if removal.drains:
            names = ",".join(pod.name for pod in removal.movers)
            text = f"Scale-down: removing node {node.name}, utilization: {removal.utilization}, "
            await self._reporting.log("ScaleDown", f"{text}pods to reschedule: {names}")
        else:
            await self._reporting.log("ScaleDownEmpty", f'Scale-down: removing empty node "{node.name}"')
        self.running[node.name] = Deletion(pool, removal.drains)
        self._queue.add_after(node.name, _DELAY)

    async def taint(self, node: StoredObject, taint: NodeTaint, *, present: bool = True) -> StoredObject:
        """Add a taint to a node if `present`, otherwise remove the taint. Raises ApiError if the write is refused."""
        value = str(int(self._clock.now().timestamp()))

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Node)
            others = [one for one in obj.spec.taints if one.key != taint.key]
            obj.spec.taints = [*others, Taint(key=taint.key, value=value, effect=taint.effect)] if present else others

        return await self._client.update(self._node_resource, node, change)

    async def _step(self, name: str) -> None:
        deletion, node = self.running.get(name), self._nodes.get("", name)
        if deletion is None:
            return
        if node is None or self._cloud.get(name) is None:
            del self.running[name]
            return
        if deletion.phase == "delay" and not deletion.drains and any(map(_is_moved, self._pods_on(name))):
            await self._fail(node, deletion, f'failed to delete empty node "{name}", new pods scheduled')
            return
        if deletion.phase == "delay":
            deletion.phase, deletion.until = "evict", self._clock.now() + _MOST_EVICTION
        if deletion.phase == "evict" and not await self._evict(node, deletion):
            return
        if any(self._is_still_bound(uid, deletion.evicted[uid], name) for uid in deletion.evicted):
            await self._wait(node, deletion)
            return
        await self._remove(node, deletion)

    async def _evict(self, node: StoredObject, deletion: Deletion) -> bool:
        """Request the eviction of those pods on a node whose eviction has not been accepted yet.

        `deletion` has the pods whose eviction was accepted. Returns True if all remaining evictions were accepted now.
        Evictions of DaemonSets' pods may be refused: they do not affect the result.

        If the result is False, the evictions are retried later or, after the time limit, the removal of the node fails.
        """
        refused: dict[StoredObject, str] = {}
        for pod in self._pods_on(node.name):
            if is_mirror(pod) or pod.uid in deletion.evicted or (is_daemon(pod) and not deletion.drains):
                continue
            if pod.uid not in deletion.announced:
                deletion.announced.add(pod.uid)
                await self._reporting.record(pod.stored, "ScaleDown", "deleting pod for node scale down")
            problem = await self._request_eviction(pod)
            if is_daemon(pod):
                continue
            if problem:
                refused[pod.stored] = problem
            else:
                deletion.evicted[pod.uid] = f"{pod.namespace}/{pod.name}"
        if refused:
            if deletion.until is not None and self._clock.now() < deletion.until:
                self._queue.add_after(node.name, _EVICTION_RETRY)
                return False
            for stored in refused:
                await self._reporting.warn(stored, "failed to delete pod for ScaleDown")
            errors = " ".join(
                f"failed to evict pod {pod.namespace}/{pod.name} within allowed timeout (last error: {problem})"
                for pod, problem in refused.items()
            )
            why = f"Failed to drain node /{node.name}, due to following errors: [{errors}]"
            await self._fail(node, deletion, why)
            return False
        deletion.phase, deletion.until = "wait", self._clock.now() + _MOST_WAIT
        return True

    async def _request_eviction(self, pod: PodInfo) -> str:
        """Request the eviction of a pod. Returns an empty text if it is accepted, otherwise the error message."""
        part = self._pod_resource.subresource("eviction")
        assert isinstance(part, CreateSubresource)
        metadata = {"name": pod.name, "namespace": pod.namespace}
        seconds = min(pod.spec.get("terminationGracePeriodSeconds", DEFAULT_GRACE), _MOST_GRACE)
        eviction = part.model.from_document({"metadata": metadata, "deleteOptions": {"gracePeriodSeconds": seconds}})
        assert isinstance(eviction, ApiObject)
        try:
            await self._client.post(self._pod_resource, "eviction", eviction, pod.namespace)
        except ApiError as error:
            return "" if error.reason == "NotFound" else error.message
        return ""

    async def _wait(self, node: StoredObject, deletion: Deletion) -> None:
        if deletion.until is not None and self._clock.now() < deletion.until:
            self._queue.add_after(node.name, _WAIT)
            return
        await self._fail(node, deletion, f"Failed to drain node /{node.name}: pods remaining after timeout")

    async def _remove(self, node: StoredObject, deletion: Deletion) -> None:
        await self._cloud.remove(node.name)
        del self.running[node.name]
        await self._reporting.record(node, "ScaleDown", "nodes removed by cluster autoscaler")
        if deletion.drains:
            await self._reporting.log("ScaleDown", f"Scale-down: node {node.name} removed with drain")
        else:
            await self._reporting.log("ScaleDownEmpty", f"Scale-down: empty node {node.name} removed")

    async def _fail(self, node: StoredObject, deletion: Deletion, why: str) -> None:
        del self.running[node.name]
        self._failed()
        what = "failed to drain and delete node" if deletion.drains else "failed to delete empty node"
        await self._reporting.warn(node, f"{what}: {why}")
        await self.taint(node, DELETION_TAINT, present=False)

    def _pods_on(self, name: str) -> list[PodInfo]:
        """Return the pods on a node, except pods in the phase Succeeded or Failed."""
        found = sorted(self._by_node.on(name), key=lambda pod: (pod.namespace, pod.name))
        return [PodInfo(stored) for stored in found if not is_ended(stored)]

    def _is_still_bound(self, uid: str, key: str, node: str) -> bool:
        """True if the evicted pod with this uid still exists and is bound to the node named `node`.

        `key` is the pod's namespace and name.
        """
        namespace, _, name = key.partition("/")
        stored = self._pods.get(namespace, name)
        return stored is not None and stored.uid == uid and stored.document["spec"].get("nodeName") == node


def _is_moved(pod: PodInfo) -> bool:
    """True if a pod must move to another node before its node is removed.

    That is the case unless the pod belongs to a DaemonSet, mirrors a static pod or is terminating.
    """
    return not is_daemon(pod) and not is_mirror(pod) and not pod.terminating
