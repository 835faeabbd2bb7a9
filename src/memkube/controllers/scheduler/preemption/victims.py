"""Which pods would have to leave a node (``default_preemption.go``: SelectVictimsOnNode)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.controllers.scheduler.filtering import Filtering
from memkube.controllers.scheduler.framework import Rejection
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.preemption.budgets import Budgets
from memkube.controllers.scheduler.preemption.importance import Importance

_RULE: Final = "DefaultPreemption"
NO_VICTIMS: Final = Rejection(_RULE, ("No preemption victims found for incoming pod",), resolvable=False)
NOT_HELPFUL: Final = Rejection(_RULE, ("Preemption is not helpful for scheduling",), resolvable=False)


class Victims(NamedTuple):
    """Pods that would have to leave a node, the most important one first."""

    node: str
    pods: Sequence[PodInfo]
    violations: int
    """How many of them disruption budgets would rather keep."""


class Supposition:
    """A node, supposed to have fewer pods than it has."""

    def __init__(self, filtering: Filtering, node: NodeInfo) -> None:
        self.node = node.copy()
        self._filtering = filtering.copy()

    def rejection(self) -> Rejection | None:
        """Why the pod could not run there even so."""
        return self._filtering.rejects(self.node)

    def remove(self, pod: PodInfo) -> None:
        """Supposes that a pod has left."""
        self.node.remove(pod)
        for check in self._filtering.checks:
            check.pod_removed(pod, self.node)

    def add(self, pod: PodInfo) -> None:
        """Supposes that a pod has stayed after all."""
        self.node.add(pod)
        for check in self._filtering.checks:
            check.pod_added(pod, self.node)


def find_victims(
    preemptor: PodInfo, filtering: Filtering, node: NodeInfo, budgets: Budgets, importance: Importance
) -> Victims | Rejection:
    """The fewest pods that would have to leave a node, or why that would not help.

    All less important pods leave in thought, and come back one by one for as long as there is room: first those
    that budgets protect, and important ones before others.
    """
    candidates = [pod for pod in node.pods.values() if pod.priority < preemptor.priority]
    if not candidates:
        return NO_VICTIMS
    supposed = Supposition(filtering, node)
    for pod in candidates:
        supposed.remove(pod)
    rejection = supposed.rejection()
    if rejection is not None:
        return rejection
    protected, others = budgets.split(sorted(candidates, key=importance.rank))
    violating = _doomed(supposed, protected)
    victims = [*violating, *_doomed(supposed, others)]
    if not victims:
        return NO_VICTIMS
    return Victims(node.name, sorted(victims, key=importance.rank), len(violating))


def _doomed(supposed: Supposition, pods: Sequence[PodInfo]) -> list[PodInfo]:
    """Those of the pods that there is no room for."""
    doomed = []
    for pod in pods:
        supposed.add(pod)
        if supposed.rejection() is not None:
            supposed.remove(pod)
            doomed.append(pod)
    return doomed
