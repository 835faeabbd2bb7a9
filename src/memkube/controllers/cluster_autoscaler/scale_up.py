"""Chooses the pool that grows for pods that fit nowhere (``scaleup/orchestrator``, ``estimator``, ``expander``)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from memkube.controllers.cluster_autoscaler.simulation import SimulatedCluster
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.registry.objects.stored import StoredObject

_MOST_REACHED: Final = "max node group size reached"


class PoolSize(NamedTuple):
    """A pool that may grow, with its present and its maximum number of nodes."""

    name: str
    size: int
    most: int


class NewNode(NamedTuple):
    """A node that a pool would add, with the pods of DaemonSets that would run on it."""

    node: StoredObject
    daemons: Sequence[PodInfo]


NodesOfPool = Callable[[str, int], NewNode]
"""Function that returns the node that a pool would add after a number of other new nodes."""


class Option(NamedTuple):
    """New nodes of one pool, and the pods that fit on them."""

    pool: PoolSize
    nodes: int
    pods: Sequence[PodInfo]
    waste: float
    """Sum of two shares of the new nodes that the pods do not request: of their processor time, and of their memory."""

    @property
    def description(self) -> str:
        """The change of the pool's size as Events describe it."""
        size = self.pool.size
        return f"{{{self.pool.name} {size}->{size + self.nodes} (max: {self.pool.most})}}"


class Plan(NamedTuple):
    """The chosen scale-up, and the reasons why it does not help other pods."""

    option: Option | None
    """The nodes to add; None if no pool helps any pod."""
    remaining: Mapping[str, str]
    """Messages that say why pods did not trigger a scale-up, by the uid of the pod."""


def plan_scale_up(
    cluster: SimulatedCluster, pods: Sequence[PodInfo], pools: Sequence[PoolSize], new_node: NodesOfPool
) -> Plan:
    """Return which pool to enlarge for pods that fit on no node of the cluster, and why other pods do not help.

    Of the pools whose new nodes fit pods, the one that wastes least is chosen; of equal ones the first. Several pools
    are enlarged one after another, in later calls.
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
    told = {
        uid: ", ".join(sorted(f"{n} {reason}" for reason, n in counted.items())) for uid, counted in reasons.items()
    }
    return Plan(best, told)


def _fitting(
    cluster: SimulatedCluster, pods: Sequence[PodInfo], new: NewNode, reasons: Mapping[str, Counter[str]]
) -> list[PodInfo]:
    """Return the pods that fit on a new node, and count the reasons against the others."""
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
    """Fill new nodes of a pool with pods, the largest pods first, as far as the pool may grow."""
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
