"""The loop of the cluster autoscaler (``core/static_autoscaler.go``).

Every ten seconds it adds nodes for unschedulable pods. If there are none, it looks for nodes to remove.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.controllers.cluster_autoscaler.deletions import CANDIDATE, CANDIDATE_TAINT, TO_BE_DELETED, Deletions
from memkube.controllers.cluster_autoscaler.reporting import COMPONENT, Reporting
from memkube.controllers.cluster_autoscaler.scale_down import (
    Drainability,
    Removal,
    is_daemon,
    is_scale_down_disabled,
    unneeded_nodes,
)
from memkube.controllers.cluster_autoscaler.scale_up import NewNode, PoolSize, plan_scale_up
from memkube.controllers.cluster_autoscaler.simulation import FrameworkHandle, SimulatedCluster
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant, instant_or_none
from memkube.controllers.nodes.description import new_node
from memkube.controllers.nodes.pools import NodePool, PoolAutoscaling
from memkube.controllers.nodes.simulated_node import SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.controllers.scheduler.framework import ClusterListers
from memkube.controllers.scheduler.pod_info import PodInfo, is_ended, node_of
from memkube.controllers.scheduler.preemption import Budgets
from memkube.controllers.scheduler.profiles import DEFAULT_PROFILE
from memkube.registry.declarations.kinds import KindName
from memkube.registry.objects.stored import StoredObject

_SCAN: Final = ""
_SCAN_SECONDS: Final = 10.0
_DELAY_AFTER_ADD: Final = timedelta(minutes=10)
_DELAY_AFTER_FAILURE: Final = timedelta(minutes=3)
_UNNEEDED: Final = timedelta(minutes=10)
_UNREADY: Final = timedelta(minutes=20)
_PROVISIONING: Final = timedelta(minutes=15)
_NEW_PODS: Final = timedelta(seconds=2)
_EXPENDABLE: Final = -10
"""Pods whose priority is lower than this number do not trigger a scale-up."""
_MOST_DELETIONS: Final = 10
_MOST_TAINTS: Final = 10
_NOT_READY: Final = "node.kubernetes.io/not-ready"


class Autoscaler:
    """Adds nodes to node pools for pods that fit on no existing node, and removes nodes that are not needed."""

    def __init__(self, runtime: Runtime, cloud: SimulatedNodes) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._cloud = cloud
        of = runtime.informers.of
        self._nodes, self._pods = of("", "v1", "nodes"), of("", "v1", "pods")
        self._reporting = Reporting(runtime)
        profiles = {profile.name: profile for profile in runtime.options.scheduler_profiles or (DEFAULT_PROFILE,)}
        self._listers = ClusterListers(runtime)
        self._handle = FrameworkHandle(self._listers, profiles)
        self._queue = runtime.queue(COMPONENT, self._scan)
        self._deletions = Deletions(runtime, cloud, self._reporting, self._deletion_failed)
        self._added: datetime | None = None
        """Time of the last addition of nodes; None if no nodes were added."""
        self._failed: datetime | None = None
        """Time of the last failure to remove a node; None if there was no failure."""
        self._unneeded: dict[str, datetime] = {}
        """Times at which nodes became unneeded, by the name of the node."""
        self._upcoming: dict[str, datetime] = {}
        """Times at which nodes that are not ready yet were added, by the name of the node."""
        self._marked: set[str] | None = None
        """Names of the nodes with the taint for unneeded nodes; None if they must be looked up."""
        self._changed = True
        """True if something on which the decision depends has changed since the last decision."""
        self._infos: dict[str, PodInfo] = {}
        """Pods that are bound to a node, by uid."""
        self._waiting: dict[str, StoredObject] = {}
        """Pods that are not bound to a node, by uid."""
        due = self._restore(runtime)
        self._pods.subscribe(self._on_pod)
        self._nodes.subscribe(self._on_node)
        self._listers.budgets.subscribe(self._on_other)
        left = _SCAN_SECONDS if due is None else (due - self._clock.now()).total_seconds()
        self._queue.add_after(_SCAN, min(left, _SCAN_SECONDS))

    def _restore(self, runtime: Runtime) -> datetime | None:
        """Restore the autoscaler's state from a snapshot.

        Returns the time of the next scan, or None if it is unknown.
        """
        due = None
        for saved in runtime.keep(COMPONENT, self._saved):
            self._added, self._failed = instant_or_none(saved["added"]), instant_or_none(saved["failed"])
            self._unneeded = {name: instant(at) for name, at in saved["unneeded"].items()}
            self._upcoming = {name: instant(at) for name, at in saved["upcoming"].items()}
            due = instant_or_none(saved["due"])
            for deletion in saved["deletions"]:
                self._deletions.restore(deletion)
        return due

    def _saved(self) -> list[Document]:
        return [
            {
                "added": self._added,
                "failed": self._failed,
                "unneeded": dict(self._unneeded),
                "upcoming": dict(self._upcoming),
                "deletions": self._deletions.saved(),
                "due": self._queue.due(_SCAN),
            }
        ]

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        gone = new is None or is_ended(new)
        pod = new or old
        assert pod is not None
        known = self._infos.get(pod.uid)
        if gone or new is None:
            self._changed |= self._infos.pop(pod.uid, None) is not None
            self._waiting.pop(pod.uid, None)
        elif not node_of(new):
            self._waiting[new.uid] = new
        elif known is None or not known.counts_like(new):
            self._waiting.pop(new.uid, None)
            self._infos[new.uid] = PodInfo(new)
            self._changed = True
        else:
            self._changed |= _ties(known.stored.document) != _ties(new.document)
            known.stored = new

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is None or new is None or _relevant(old) != _relevant(new):
            self._changed = True

    def _on_other(self, _: StoredObject | None, __: StoredObject | None) -> None:
        self._changed = True

    def _deletion_failed(self) -> None:
        self._failed = self._clock.now()
        self._changed = True

    async def _scan(self, _: str) -> None:
        self._queue.add_after(_SCAN, _SCAN_SECONDS)
        self._note_upcoming()
        pods = self._unschedulable()
        now = self._clock.now()
        if pods and all(now - _created(pod) < _NEW_PODS for pod in pods):
            return
        if not pods and not self._changed:
            await self._remove_unneeded([])
            return
        await self._reporting.write_status([self._status_of(pool) for pool in self._scaled()])
        cluster = self._simulated()
        pods = [pod for pod in sorted(pods, key=_importance) if not cluster.place_anywhere(pod)]
        if pods and await self._scale_up(cluster, pods):
            return
        await self._scale_down(cluster)

    async def _scale_up(self, cluster: SimulatedCluster, pods: list[PodInfo]) -> bool:
        """Add nodes to the best node pool for pods that fit on no node. Returns False if no nodes were added."""
        sizes = [
            PoolSize(pool.name, len(self._cloud.of_pool(pool.name)) - self._deletions.of_pool(pool.name), limits.max)
            for pool, limits in self._scaled_with_limits()
        ]
        plan = plan_scale_up(cluster, pods, sizes, self._new_node)
        if plan.option is None:
            for pod in pods:
                message = f"pod didn't trigger scale-up: {plan.remaining[pod.uid]}"
                await self._reporting.record(pod.stored, "NotTriggerScaleUp", message)
            return False
        pool, count = plan.option.pool, plan.option.nodes
        sized = f"{pool.size + count} instead of {pool.size} (max: {pool.most})"
        await self._reporting.log("ScaledUpGroup", f"Scale-up: setting group {pool.name} size to {sized}")
        try:
            added = await self._cloud.add(pool.name, count)
        except ValueError as error:
            # The server already has the maximum number of simulated nodes, so no node was added: report the failure.
            why = f"Scale-up failed for group {pool.name}: {error}"
            await self._reporting.log("FailedToScaleUpGroup", why, "Warning")
            return False
        self._added = self._clock.now()
        self._upcoming |= dict.fromkeys((machine.name for machine in added), self._added)
        await self._reporting.log("ScaledUpGroup", f"Scale-up: group {pool.name} size set to {sized}")
        for pod in plan.option.pods:
            message = f"pod triggered scale-up: [{plan.option.description}]"
            await self._reporting.record(pod.stored, "TriggeredScaleUp", message)
        return True

    async def _scale_down(self, cluster: SimulatedCluster) -> None:
        """Find the nodes that are not needed, and remove those that have not been needed for long enough."""
        now = self._clock.now()
        candidates = [
            (machine.name, _is_ready(node))
            for pool in self._scaled()
            for machine in self._cloud.of_pool(pool.name)
            if (node := self._nodes.get("", machine.name)) is not None and self._is_candidate(machine.name, node)
        ]
        budgets = Budgets(self._listers.budgets)
        drainability = Drainability(budgets, self._has_owner)
        blocked = [*self._deletions.running, *self._upcoming]
        removals = await unneeded_nodes(cluster, candidates, blocked, drainability, now)
        names = [removal.node for removal in removals]
        self._changed = self._unneeded.keys() != set(names)
        self._unneeded = {name: self._unneeded.get(name, now) for name in names}
        await self._remove_unneeded(removals)

    async def _remove_unneeded(self, removals: list[Removal]) -> None:
        """Begin to remove nodes that have not been needed for long enough, unless nodes were added recently.

        `removals` are the unneeded nodes that this scan has found. It is empty if this scan did not examine the nodes,
        because no object has changed. If a node is due for removal nevertheless, the nodes are examined now, because a
        removal needs the list of the node's pods.
        """
        now = self._clock.now()
        if self._is_cooling_down(now):
            return
        waited = [name for name, since in self._unneeded.items() if now - since >= self._unneeded_time(name)]
        due = [name for name in waited if self._may_shrink(name)]
        if not due:
            await self._mark_candidates()
            return
        if not removals:
            # The nodes were not examined in this scan, because no object has changed. Examine them now: their removal
            # needs the list of their pods.
            self._changed = True
            await self._scale_down(self._simulated())
            return
        begun = False
        for removal in removals:
            if removal.node in due and self._may_begin(removal):
                begun = True
                await self._begin_removal(removal)
        if not begun:
            await self._mark_candidates()

    def _may_begin(self, removal: Removal) -> bool:
        """True if the limits of simultaneous removals and the minimum size of the pool permit removing a node now."""
        running = self._deletions.running
        if len(running) >= _MOST_DELETIONS or (removal.drains and any(one.drains for one in running.values())):
            return False
        return self._may_shrink(removal.node)

    def _may_shrink(self, node: str) -> bool:
        """True if the node's pool has more nodes than the minimum of the pool."""
        machine = self._cloud.get(node)
        if machine is None:
            return False
        name = machine.shape.pool
        limits = self._cloud.pools[name].autoscaling
        left = len(self._cloud.of_pool(name)) - self._deletions.of_pool(name)
        return limits is not None and left > limits.min

    async def _begin_removal(self, removal: Removal) -> None:
        node, machine = self._nodes.get("", removal.node), self._cloud.get(removal.node)
        if node is not None and machine is not None:
            await self._deletions.begin(node, machine.shape.pool, removal)
            self._unneeded.pop(removal.node, None)

    async def _mark_candidates(self) -> None:
        """Taint nodes that are not needed, so that the scheduler avoids them. Remove the taint from needed nodes."""
        if self._marked == self._unneeded.keys():
            return
        written = 0
        for pool in self._scaled():
            for machine in self._cloud.of_pool(pool.name):
                node = self._nodes.get("", machine.name)
                if node is None or written == _MOST_TAINTS or machine.name in self._deletions.running:
                    continue
                is_unneeded = machine.name in self._unneeded
                if is_unneeded == _has_taint(node, CANDIDATE):
                    continue
                written += 1
                try:
                    await self._deletions.taint(node, CANDIDATE_TAINT, present=is_unneeded)
                except ApiError as error:
                    if error.reason not in ("Conflict", "NotFound"):
                        raise
        self._marked = None if written == _MOST_TAINTS else set(self._unneeded)

    def _is_cooling_down(self, now: datetime) -> bool:
        pauses = (self._added, _DELAY_AFTER_ADD), (self._failed, _DELAY_AFTER_FAILURE)
        return any(at is not None and now < at + pause for at, pause in pauses)

    def _unneeded_time(self, name: str) -> timedelta:
        node = self._nodes.get("", name)
        return _UNNEEDED if node is None or _is_ready(node) else _UNREADY

    def _is_candidate(self, name: str, node: StoredObject) -> bool:
        if name in self._deletions.running or name in self._upcoming or _has_taint(node, TO_BE_DELETED):
            return False
        return not is_scale_down_disabled(node.document)

    async def _has_owner(self, namespace: str, owner: Mapping[str, str]) -> bool:
        """True if the owner in an owner reference exists. False also if the server does not serve the owner's kind."""
        registry = self._runtime.registry
        resource = self._runtime.catalog.of_kind(KindName.of(owner["apiVersion"], owner["kind"]))
        if resource is None:
            return False
        try:
            await registry.store(resource).get(namespace if resource.namespaced else "", owner["name"])
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return False
        return True

    def _scaled(self) -> list[NodePool]:
        return [pool for pool in self._cloud.pools.values() if pool.autoscaling is not None]

    def _scaled_with_limits(self) -> list[tuple[NodePool, PoolAutoscaling]]:
        return [(pool, pool.autoscaling) for pool in self._cloud.pools.values() if pool.autoscaling is not None]

    def _unschedulable(self) -> list[PodInfo]:
        """Return the pods that the scheduler found unschedulable.

        Pods of DaemonSets, terminating pods and pods of very low priority are left out.
        """
        waiting = (PodInfo(stored) for stored in self._waiting.values() if _is_unschedulable(stored.document))
        return [pod for pod in waiting if not pod.terminating and pod.priority >= _EXPENDABLE and not is_daemon(pod)]

    def _note_upcoming(self) -> None:
        """Forget each added node that is ready, was removed, or was added 15 minutes ago.

        Until an added node is forgotten, the autoscaler plans as if the node were ready.
        """
        now = self._clock.now()
        for name, at in list(self._upcoming.items()):
            node = self._nodes.get("", name)
            is_ready = node is not None and _is_ready(node) and not _has_taint(node, _NOT_READY)
            if is_ready or self._cloud.get(name) is None or now - at >= _PROVISIONING:
                del self._upcoming[name]
                self._changed = True

    def _simulated(self) -> SimulatedCluster:
        """Return a copy of the cluster in which added nodes that are not ready yet count as ready."""
        cluster = SimulatedCluster(self._handle)
        for node in self._nodes:
            if node.name not in self._upcoming:
                cluster.put_node(node)
        for name in self._upcoming:
            machine = self._cloud.get(name)
            if machine is not None:
                cluster.put_node(self._node_of(machine))
        for pod in self._infos.values():
            cluster.put_pod(pod)
        return cluster

    def _new_node(self, pool: str, others: int) -> NewNode:
        """Return the node that a pool would add after `others` other new nodes, with the DaemonSets' pods on it."""
        node = self._node_of(self._cloud.template(pool, others))
        present = next(iter(self._cloud.of_pool(pool)), None)
        pods = self._runtime.pods_by_node.on(present.name) if present is not None else ()
        daemons = [_copied(pod, f"{pod.uid}-{others}") for pod in pods if not is_ended(pod)]
        return NewNode(node, [pod for pod in daemons if is_daemon(pod)])

    def _node_of(self, machine: SimulatedNode) -> StoredObject:
        return StoredObject(new_node(machine, Time.at(self._clock.now())))

    def _status_of(self, pool: NodePool) -> dict[str, Any]:
        assert pool.autoscaling is not None
        nodes = [self._nodes.get("", machine.name) for machine in self._cloud.of_pool(pool.name)]
        registered = [node for node in nodes if node is not None]
        counts = {"total": len(registered), "ready": sum(map(_is_ready, registered))}
        return {
            "name": pool.name,
            "health": {
                "nodeCounts": {"registered": counts},
                "cloudProviderTarget": len(nodes) - self._deletions.of_pool(pool.name),
                "minSize": pool.autoscaling.min,
                "maxSize": pool.autoscaling.max,
            },
        }


def _relevant(node: StoredObject) -> object:
    """Return the fields of a Node that affect decisions of the autoscaler, to detect changes."""
    document = node.document
    metadata, spec, status = document["metadata"], document["spec"], document["status"]
    taints = [taint for taint in spec.get("taints") or () if taint["key"] != CANDIDATE]
    described = metadata.get("labels"), metadata.get("annotations")
    return described, taints, spec.get("unschedulable"), status.get("allocatable"), _is_ready(node)


def _ties(pod: Document) -> object:
    """Return the fields of a pod that determine whether the autoscaler may evict it, to detect changes."""
    return pod["metadata"].get("annotations"), pod["metadata"].get("ownerReferences")


def _has_taint(node: StoredObject, key: str) -> bool:
    return any(taint["key"] == key for taint in node.document["spec"].get("taints") or ())


def _is_ready(node: StoredObject) -> bool:
    conditions = node.document["status"].get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _is_unschedulable(pod: Document) -> bool:
    conditions = pod["status"].get("conditions") or ()
    return any(
        one["type"] == "PodScheduled" and one["status"] == "False" and one.get("reason") == "Unschedulable"
        for one in conditions
    )


def _created(pod: PodInfo) -> datetime:
    return instant(pod.stored.document["metadata"]["creationTimestamp"])


def _importance(pod: PodInfo) -> tuple[int, datetime, str, str]:
    """Return the sort key of a pod: the autoscaler places pods of higher priority first, then older pods."""
    return -pod.priority, _created(pod), pod.namespace, pod.name


def _copied(pod: StoredObject, uid: str) -> PodInfo:
    metadata, spec = {**pod.document["metadata"], "uid": uid}, {**pod.document["spec"], "nodeName": ""}
    return PodInfo(StoredObject({**pod.document, "metadata": metadata, "spec": spec}))
