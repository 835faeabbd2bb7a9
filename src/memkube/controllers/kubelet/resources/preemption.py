"""Preemption: a node kills pods to make room for a critical pod (``pkg/kubelet/preemption``)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from memkube.apis.core.v1.pods.status import qos_class
from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.kubelet.resources.eviction_ranking import is_critical
from memkube.controllers.scheduler.pod_requests import Resources, Shortage

Lacking: TypeAlias = Mapping[str, int]
"""Amounts of resources that must be freed, by name: CPU in millicores, memory in bytes."""


class Preemptable(NamedTuple):
    """A pod that a critical pod may preempt, and the resources that it requests."""

    pod: Pod
    requests: Resources

    def amount(self, resource: str) -> int:
        """Return the amount of a resource that the pod frees when it ends."""
        match resource:
            case "pods":
                return 1
            case "cpu":
                return self.requests.cpu
            case "memory":
                return self.requests.memory
            case "ephemeral-storage":
                return self.requests.ephemeral_storage
        return self.requests.scalars.get(resource, 0)


class CannotPreempt(Exception):
    """Raised if a node cannot free the resources that a critical pod needs. The text names the resources."""


def lacking_amounts(shortages: Iterable[Shortage]) -> Lacking:
    """Return the amounts of resources that are missing on a node for a pod."""
    return {one.name: one.requested - (one.capacity - one.used) for one in shortages}


def is_preemptable(preemptor: Pod, pod: Pod) -> bool:
    """True if the critical pod `preemptor` may preempt a pod: the pod is not critical, or has a lower priority."""
    return not is_critical(pod) or (preemptor.spec.priority or 0) > (pod.spec.priority or 0)


def pods_to_preempt(candidates: Sequence[Preemptable], lacking: Lacking) -> list[Preemptable]:
    """Return the pods that a node kills to free resources, in order.

    BestEffort pods are preferred to Burstable pods, and those to Guaranteed pods. Among pods of one class, as few as
    possible are chosen. Raises CannotPreempt if all `candidates` together have too little.
    """
    classes = ("BestEffort", "Burstable", "Guaranteed")
    of_class = {name: [c for c in candidates if qos_class(c.pod.spec) == name] for name in classes}
    if unmet := _without(lacking, candidates):
        raise CannotPreempt(_no_pods(unmet))
    best_effort, burstable, guaranteed = of_class.values()
    of_guaranteed = _nearest(guaranteed, _without(lacking, [*best_effort, *burstable]))
    of_burstable = _nearest(burstable, _without(lacking, [*best_effort, *of_guaranteed]))
    of_best_effort = _nearest(best_effort, _without(lacking, [*of_burstable, *of_guaranteed]))
    return [*of_best_effort, *of_burstable, *of_guaranteed]


def _nearest(candidates: Sequence[Preemptable], lacking: Lacking) -> list[Preemptable]:
    """Return pods that free the `lacking` resources together.

    The first pod is the one that frees most of them, and each further pod the one that frees most of the remainder.
    Raises CannotPreempt if all `candidates` together free too little.
    """
    left, chosen = list(candidates), list[Preemptable]()
    while lacking:
        if not left:
            raise CannotPreempt(_no_pods(lacking))
        nearest = min(left, key=lambda c: (_distance(c, lacking), c.requests.memory, c.requests.cpu))
        left.remove(nearest)
        chosen.append(nearest)
        lacking = _without(lacking, [nearest])
    return chosen


def _distance(candidate: Preemptable, lacking: Lacking) -> float:
    """Return a measure of the `lacking` resources that are still missing after a pod has ended; 0 for none."""
    missing = ((amount, amount - candidate.amount(name)) for name, amount in lacking.items())
    return sum((left / amount) ** 2 for amount, left in missing if left > 0)


def _without(lacking: Lacking, freed: Sequence[Preemptable]) -> Lacking:
    """Return the amounts that must still be freed after the pods `freed` have ended; empty if there are none."""
    left = {name: amount - sum(one.amount(name) for one in freed) for name, amount in lacking.items()}
    return {name: amount for name, amount in left.items() if amount > 0}


def _no_pods(lacking: Lacking) -> str:
    amounts = "".join(f"(res: {name}, q: {amount}), " for name, amount in lacking.items())
    return f"no set of running pods found to reclaim resources: [{amounts}]"


@dataclass(slots=True)
class Preemption:
    """The pods that a node kills one after another to free resources for a critical pod."""

    uid: str
    """The uid of the critical pod."""
    node: str
    """Name of the node on which the critical pod waits."""
    victims: list[Preemptable] = field(default_factory=list)
    """The pods that have not ended yet; the first is being killed."""
    problem: str = ""
    """Why the node cannot free enough resources for the critical pod; empty if it can."""
    _is_killing: bool = False

    def next_victim(self, is_active: Callable[[Preemptable], bool]) -> Preemptable | None:
        """Return the pod to kill now, if any. `is_active` returns False for a pod that has ended.

        If the result is None, the critical pod waits until the first of `victims` has ended. If `victims` is empty, the
        critical pod may run.
        """
        while self.victims and not is_active(self.victims[0]):
            self.victims.pop(0)
            self._is_killing = False
        if not self.victims or self._is_killing:
            return None
        self._is_killing = True
        return self.victims[0]
