"""Finds nodes that the cluster autoscaler can remove, because their pods fit on other nodes.

Sources: ``core/scaledown/planner``, ``simulator/drainability``, ``simulator/utilization``.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.cluster_autoscaler.simulation import SimulatedCluster
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.preemption import Budgets
from memkube.controllers.workloads.owners import controller_reference

_SAFE: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict"
_SAFE_VOLUMES: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
_DISABLED: Final = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
_MIRROR: Final = "kubernetes.io/config.mirror"
_SYSTEM: Final = "kube-system"
_THRESHOLD: Final = 0.5
"""Minimum utilization of a node that counts as needed (``--scale-down-utilization-threshold``)."""
_REPLICATED: Final = (
    ("v1", "ReplicationController"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "Job"),
)
"""Kinds of controllers that create a new pod when one of their pods is deleted."""
_LONG_TERMINATING: Final = timedelta(seconds=30)
DEFAULT_GRACE: Final = 30
HasOwner: TypeAlias = Callable[[str, Mapping[str, str]], Awaitable[bool]]
"""Function that returns True if the owner in an owner reference exists. Its first argument is the namespace."""


class Utilization(NamedTuple):
    """Requests of the pods on a node, as fractions of the node's allocatable CPU and memory."""

    cpu: float
    memory: float

    @property
    def highest(self) -> float:
        """The CPU utilization or the memory utilization, whichever is greater."""
        return max(self.cpu, self.memory)

    @property
    def is_low(self) -> bool:
        """True if the utilization is so low that the autoscaler may remove the node."""
        return self.highest < _THRESHOLD

    def __str__(self) -> str:
        name = "cpu" if self.cpu > self.memory else "memory"
        cpu, memory, highest = (repr(share).removesuffix(".0") for share in (*self, self.highest))
        return f"{{{cpu} {memory} 0 0 {name} {highest}}}"


class Removal(NamedTuple):
    """A node that is not needed, and the pods that must move to other nodes before it is removed."""

    node: str
    movers: Sequence[PodInfo]
    utilization: Utilization

    @property
    def drains(self) -> bool:
        """True if pods must move to other nodes before this node is removed."""
        return bool(self.movers)


def utilization_of(cluster: SimulatedCluster, name: str, now: datetime) -> Utilization | None:
    """Return the CPU and memory utilization of the node `name` in the autoscaler's simulated cluster.

    Pods that should have terminated long before the time `now` do not count. Returns None if the node does not exist,
    or has no allocatable CPU or memory.
    """
    info = cluster.node(name)
    if info is None or not info.facts.allocatable.cpu or not info.facts.allocatable.memory:
        return None
    requests = [pod.requests.resources for pod in info.pods.values() if not _is_long_terminating(pod, now)]
    allocatable = info.facts.allocatable
    return Utilization(
        sum(one.cpu for one in requests) / allocatable.cpu, sum(one.memory for one in requests) / allocatable.memory
    )


def is_scale_down_disabled(node: Document) -> bool:
    """True if an annotation of the node prevents its removal by the cluster autoscaler."""
    annotations: Mapping[str, str] = node["metadata"].get("annotations") or {}
    return annotations.get(_DISABLED) == "true"


class Drainability:
    """Decides which pods of a node must move before it is removed, and which pods prevent its removal."""

    def __init__(self, budgets: Budgets, has_owner: HasOwner) -> None:
        self._budgets = budgets
        self._has_owner = has_owner

    async def movers(self, pods: Iterable[PodInfo], now: datetime) -> list[PodInfo] | None:
        """Return the pods that must move before their node is removed.

        Returns None if one of the pods must not be evicted.
        """
        movers = []
        for pod in pods:
            if is_mirror(pod) or is_daemon(pod) or _is_long_terminating(pod, now):
                continue
            if not await self._may_move(pod):
                return None
            movers.append(pod)
        violating, _ = self._budgets.split(movers)
        return None if violating else movers

    async def _may_move(self, pod: PodInfo) -> bool:
        document = pod.stored.document
        annotations: Mapping[str, str] = document["metadata"].get("annotations") or {}
        owner = controller_reference(document)
        if owner is not None and not await self._has_owner(pod.namespace, owner):
            return False
        if annotations.get(_SAFE) == "true":
            return True
        if owner is None or (owner["apiVersion"], owner["kind"]) not in _REPLICATED:
            return False
        if pod.namespace == _SYSTEM and not self._budgets.select(pod):
            return False
        return annotations.get(_SAFE) != "false" and not _has_local_storage(document, annotations)


async def unneeded_nodes(
    cluster: SimulatedCluster,
    candidates: Iterable[tuple[str, bool]],
    blocked: Iterable[str],
    drainability: Drainability,
    now: datetime,
) -> list[Removal]:
    """Return the nodes with low utilization whose pods fit on other nodes.

    `candidates` yields the name of each node to examine, and True if the node is ready. The utilization of a node that
    is not ready does not matter. `drainability` decides which pods of a node must move.

    These pods must fit on nodes that are neither `blocked` nor in the result. Each candidate is examined as if the pods
    of the nodes that are already in the result had moved.
    """
    removals: list[Removal] = []
    no_destinations = set(blocked)
    for name, is_ready in candidates:
        used = utilization_of(cluster, name, now)
        if used is None or (is_ready and not used.is_low):
            continue
        pods = sorted(cluster.pods_on(name), key=lambda pod: (pod.namespace, pod.name))
        movers = await drainability.movers(pods, now)
        if movers is None or not cluster.move_all(name, movers, no_destinations):
            continue
        no_destinations.add(name)
        removals.append(Removal(name, movers, used))
    return removals


def is_daemon(pod: PodInfo) -> bool:
    """True if the controller of a pod is a DaemonSet."""
    owner = controller_reference(pod.stored.document)
    return owner is not None and owner["kind"] == "DaemonSet"


def is_mirror(pod: PodInfo) -> bool:
    """True if a pod is the mirror pod of a static pod."""
    return _MIRROR in (pod.stored.document["metadata"].get("annotations") or {})


def _is_long_terminating(pod: PodInfo, now: datetime) -> bool:
    """True if a pod was to be gone its grace period and 30 seconds ago, and is still terminating (``drain.go``)."""
    deleted = pod.stored.document["metadata"].get("deletionTimestamp")
    if deleted is None:
        return False
    grace = timedelta(seconds=pod.spec.get("terminationGracePeriodSeconds", DEFAULT_GRACE))
    return datetime.fromisoformat(deleted) + grace + _LONG_TERMINATING < now


def _has_local_storage(pod: Document, annotations: Mapping[str, str]) -> bool:
    safe = annotations.get(_SAFE_VOLUMES, "").split(",")
    return any(
        volume["name"] not in safe
        and (
            volume.get("hostPath") is not None
            or (volume.get("emptyDir") is not None and volume["emptyDir"].get("medium") != "Memory")
        )
        for volume in pod["spec"].get("volumes") or ()
    )
