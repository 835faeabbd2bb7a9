"""Chooses the node pool to enlarge for unschedulable pods (``scaleup/orchestrator``, ``estimator``, ``expander``)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from memkube.controllers.cluster_autoscaler.simulation import SimulatedCluster
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.registry.objects.stored import StoredObject

_MOST_REACHED: Final = "max node group size reached"


class PoolSize(NamedTuple):
    """A node pool that may grow, with its present and its maximum number of nodes."""

    name: str
    size: int
    most: int


class NewNode(NamedTuple):
    """A node that a node pool would add, with the pods of DaemonSets that would run on it."""

    node: StoredObject
    daemons: Sequence[PodInfo]


NodesOfPool = Callable[[str, int], NewNode]
"""Function from the name of a node pool and a number N to the node that the pool would add after N other new nodes."""


class Option(NamedTuple):
    """A possible scale-up of one node pool: the number of new nodes, and the pods that fit on them."""

    pool: PoolSize
    nodes: int
    pods: Sequence[PodInfo]
    waste: float
    """Fraction of the new nodes' CPU that the pods do not request, plus the same fraction of the memory."""

    @property
    def description(self) -> str:
        """The change of the node pool's size, as Events of the cluster autoscaler show it."""
        size = self.pool.size
        return f"{{{self.pool.name} {size}->{size + self.nodes} (max: {self.pool.most})}}"


class Plan(NamedTuple):
    """The chosen scale-up, and the reasons why other pods do not fit on new nodes."""

    option: Option | None
    """The chosen scale-up, or None if no node pool has new nodes on which any of the pods fit."""
    remaining: Mapping[str, str]
    """Reasons why a pod did not trigger a scale-up, as text, by the uid of the pod."""


def plan_scale_up(
    cluster: SimulatedCluster, pods: Sequence[PodInfo], pools: Sequence[PoolSize], new_node: NodesOfPool
) -> Plan:
    """Choose the one of `pools` to enlarge for `pods`, which fit on no node of the simulation `cluster`.

    Only pools on whose new nodes at least one pod fits are considered. Among these, the pool is chosen whose new nodes
    would have the smallest unused part. If more pools must grow, later calls choose them. The result also says, for
    each pod, why it does not fit on new nodes.

    `new_node` takes the name of a pool and a number N, and returns the node that the pool would add after N other
    nodes.
    """
    reasons: dict[str, Counter[str]] = {pod.uid: Counter() for pod in pods}
    options = []
    for pool in pools:
        if pool.size >= pool.most:
            for counted in reasons.values():
                counted[_MOST_REACHED] += 1
            continue
        fitting = _fitting(cluster, pods, new_node(pool.name, 0), reasons)
        if fitting and (option := _estimated(cluster, fitting, pool, new_node)) is not None:
            options.append(option)
    best = min(options, key=lambda option: option.waste, default=None)
    messages = {
        uid: ", ".join(sorted(f"{n} {reason}" for reason, n in counted.items())) for uid, counted in reasons.items()
    }
    return Plan(best, messages)


def _fitting(
    cluster: SimulatedCluster, pods: Sequence[PodInfo], new: NewNode, reasons: Mapping[str, Counter[str]]
) -> list[PodInfo]:
    """Return the pods that would fit on the node `new` if it were in the simulation `cluster`.

    For each other pod, count in `reasons` why it does not fit, by the uid of the pod.
    """
    _put(cluster, new)
    fitting = []
    for pod in pods:
        against = cluster.reasons_against(pod, new.node.name)
        if against:
            reasons[pod.uid].update(against)
        else:
            fitting.append(pod)
    cluster.drop_node(new.node.name)
    return fitting


def _estimated(
    cluster: SimulatedCluster, pods: Sequence[PodInfo], pool: PoolSize, new_node: NodesOfPool
) -> Option | None:
    """Estimate how many new nodes of a pool the pods need, within the pool's maximum.

    Larger pods are placed first. Returns None if no pod fits on a new node. `new_node` takes the name of a pool and a
    number N, and returns the node that the pool would add after N other nodes.
    """
    first = new_node(pool.name, 0)
    _put(cluster, first)
    template = cluster.node(first.node.name)
    assert template is not None
    cpu, memory = template.facts.allocatable.cpu, template.facts.allocatable.memory
    cluster.drop_node(first.node.name)

    def size(pod: PodInfo) -> float:
        wanted = pod.requests.resources
        return _share(wanted.cpu, cpu) + _share(wanted.memory, memory)

    names: list[str] = []
    placed: list[PodInfo] = []
    for pod in sorted(pods, key=size, reverse=True):
        if cluster.place_on_any_of(pod, names):
            placed.append(pod)
            continue
        if pool.size + len(names) == pool.most:
            continue
        new = new_node(pool.name, len(names))
        _put(cluster, new)
        if cluster.place_on_any_of(pod, [new.node.name]):
            names.append(new.node.name)
            placed.append(pod)
        else:
            cluster.drop_node(new.node.name)
    for name in names:
        cluster.drop_node(name)
    for pod in placed:
        pod.node_name = ""
    if not placed:
        return None
    requests = [pod.requests.resources for pod in placed]
    free = (
        1 - _share(sum(one.cpu for one in requests), cpu * len(names)),
        1 - _share(sum(one.memory for one in requests), memory * len(names)),
    )
    return Option(pool, len(names), placed, sum(free))


def _put(cluster: SimulatedCluster, new: NewNode) -> None:
    cluster.put_node(new.node)
    for daemon in new.daemons:
        cluster.place(daemon, new.node.name)


def _share(amount: int, total: int) -> float:
    return amount / total if total else 0.0
