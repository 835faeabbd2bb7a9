"""The scheduler plugins for free resources of nodes (``plugins/noderesources``): a filter and two scores."""

from collections.abc import Iterator, Sequence
from typing import Final

from memkube.controllers.scheduler.devices.classes import ExtendedResources
from memkube.controllers.scheduler.framework import (
    FilterPlugin,
    PreparedFilter,
    Rejection,
    SchedulingContext,
    ScorePlugin,
)
from memkube.controllers.scheduler.node_info import NodeChange, NodeInfo, PodChange
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_requests import Resources, scored_requests, shortages

NAME: Final = "NodeResourcesFit"


class _Fit(PreparedFilter):
    def __init__(self, wanted: Resources, devices: ExtendedResources) -> None:
        self._wanted = wanted
        self._devices = devices.provided(wanted.scalars)
        """Extended resources that DeviceClasses provide on nodes that do not offer them (plugin DynamicResources)."""
        self._cpu, self._memory = wanted.cpu, wanted.memory
        self._has_more = bool(wanted.ephemeral_storage or wanted.scalars)

    def rejects(self, node: NodeInfo) -> Rejection | None:
        facts, requested = node.facts, node.requested
        allocatable = facts.allocatable
        if (
            len(node.pods) < facts.pods
            and (not self._cpu or self._cpu <= allocatable.cpu - requested.cpu)
            and (not self._memory or self._memory <= allocatable.memory - requested.memory)
            and not (self._has_more and any(_lacking(self._wanted, node, self._devices)))
        ):
            return None
        return self._rejection(node)

    def _rejection(self, node: NodeInfo) -> Rejection:
        lacking = list(_lacking(self._wanted, node, self._devices))
        reasons = [] if len(node.pods) < node.facts.pods else ["Too many pods"]
        reasons += [f"Insufficient {name}" for name, _ in lacking]
        return Rejection(NAME, tuple(reasons), resolvable=all(enough_in_all for _, enough_in_all in lacking))


def node_change_helps(pod: PodInfo, change: NodeChange, devices: ExtendedResources) -> bool:
    """True if a change of a node may make the pod schedulable.

    The pod must fit on the changed node if no other pod runs there. Also, the node must be new, accept more pods, or
    offer more of a resource that the pod requests. `devices` is the index of extended resources that DeviceClasses
    provide: the node need not offer these itself.
    """
    wanted, new, old = pod.requests.resources, change.new, change.old
    if new is None or _Fit(wanted, devices).rejects(NodeInfo(change.name, new)) is not None:
        return False
    if old is None or new.pods > old.pods:
        return True
    provided = devices.provided(wanted.scalars)
    return _has_more(wanted, old.allocatable, new.allocatable) or any(
        amount and name in provided and not new.allocatable.scalars.get(name) for name, amount in wanted.scalars.items()
    )


def pod_change_helps(pod: PodInfo, change: PodChange) -> bool:
    """True if a pod was deleted, if it now requests less of a resource that `pod` needs, or if `pod` was changed."""
    if change.new is None or change.old is None or change.new.uid == pod.uid:
        return True
    return _has_more(pod.requests.resources, change.new.requests.resources, change.old.requests.resources)


def _has_more(wanted: Resources, less: Resources, more: Resources) -> bool:
    """True if there is a resource in `wanted` of which `more` has a larger amount than `less`."""
    return (
        bool(wanted.cpu and more.cpu > less.cpu)
        or bool(wanted.memory and more.memory > less.memory)
        or bool(wanted.ephemeral_storage and more.ephemeral_storage > less.ephemeral_storage)
        or any(
            amount and more.scalars.get(name, 0) > less.scalars.get(name, 0) for name, amount in wanted.scalars.items()
        )
    )


def _lacking(wanted: Resources, node: NodeInfo, devices: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Yield the resources of which a node has less left than `wanted`, the requests of a pod.

    Each result is a pair: the name of the resource, and True if the node would have enough of it without its present
    pods. Resources in `devices`, which DeviceClasses provide, are left out if the node does not offer them itself.
    """
    offered = node.facts.allocatable
    for one in shortages(wanted, node.requested, offered):
        if one.name not in devices or offered.scalars.get(one.name):
            yield one.name, one.requested <= one.capacity


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    return _Fit(context.pod.requests.resources, context.listers.extended_resources)


RULE: Final = FilterPlugin(NAME, _prepare)


def _least_allocated(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int]:
    pod = context.pod
    cpu, memory = pod.requests.compared_cpu, pod.requests.compared_memory
    if pod.spec.get("resources"):
        cpu, memory = scored_requests(pod.stored.document)
    scores = []
    for node in nodes:
        allocatable = node.facts.allocatable
        sum_of_shares = resources = 0
        if allocatable.cpu:
            left = allocatable.cpu - node.compared_cpu - cpu
            sum_of_shares = left * 100 // allocatable.cpu if left > 0 else 0
            resources = 1
        if allocatable.memory:
            left = allocatable.memory - node.compared_memory - memory
            sum_of_shares += left * 100 // allocatable.memory if left > 0 else 0
            resources += 1
        scores.append(sum_of_shares // resources if resources else 0)
    return scores


LEAST_ALLOCATED: Final = ScorePlugin(NAME, 1, _least_allocated)


def _balanced_allocation(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    wanted = context.pod.requests.resources
    cpu, memory = wanted.cpu, wanted.memory
    if not cpu and not memory:
        return None
    scores = []
    for node in nodes:
        if node.balance is None:
            node.balance = _balance(node, 0, 0)
        scores.append(50 + (50 + _balance(node, cpu, memory) - node.balance) // 2)
    return scores


def _balance(node: NodeInfo, cpu: int, memory: int) -> int:
    """Return a score from 50 to 100 for how evenly a node is used after the addition of a pod.

    `cpu` and `memory` are the pod's requests. The score is 100 if equal fractions of the node's CPU and memory are
    requested then.
    """
    allocatable, requested = node.facts.allocatable, node.requested
    if not allocatable.cpu or not allocatable.memory:
        return 100
    of_cpu = (requested.cpu + cpu) / allocatable.cpu
    of_memory = (requested.memory + memory) / allocatable.memory
    return int((1 - abs(min(of_cpu, 1.0) - min(of_memory, 1.0)) / 2) * 100)


BALANCED_ALLOCATION: Final = ScorePlugin("NodeResourcesBalancedAllocation", 1, _balanced_allocation)
