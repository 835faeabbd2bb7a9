"""Places that have too many pods of one kind already (``plugins/podtopologyspread/filtering.go``)."""

from collections.abc import Sequence
from typing import Final, Self

from memkube.controllers.scheduler.framework import Check, Rejection, Rule, Situation
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.spread_constraints import Inclusion, SpreadConstraint, constraints_of, has_all_keys

NAME: Final = "PodTopologySpread"
_WORDS: Final = "node(s) didn't match pod topology spread constraints"
_NO_PLACE: Final = Rejection(NAME, (f"{_WORDS} (missing required label)",), resolvable=False)
_TOO_MANY: Final = Rejection(NAME, (_WORDS,), resolvable=True)


class _Places:
    """How many pods are where, for one constraint."""

    def __init__(self, constraint: SpreadConstraint, of_itself: int, counts: dict[str, int]) -> None:
        self.constraint = constraint
        self._of_itself = of_itself
        """1 where the pod is one of those that are counted."""
        self._counts = counts
        self._fewest: int | None = None

    def copy(self) -> "_Places":
        return _Places(self.constraint, self._of_itself, dict(self._counts))

    def count(self, place: str, difference: int) -> None:
        self._counts[place] = self._counts.get(place, 0) + difference
        self._fewest = None

    def is_full(self, place: str) -> bool:
        """Whether one pod more would be too many."""
        if self._fewest is None:
            enough_places = len(self._counts) >= self.constraint.min_domains
            self._fewest = min(self._counts.values(), default=0) if enough_places else 0
        return self._counts.get(place, 0) + self._of_itself - self._fewest > self.constraint.max_skew


class _Spread(Check):
    def __init__(self, pod: PodInfo, places: Sequence[_Places], inclusion: Inclusion) -> None:
        self._pod = pod
        self._places = places
        self._inclusion = inclusion

    def rejects(self, node: NodeInfo) -> Rejection | None:
        labels = node.facts.labels
        for places in self._places:
            place = labels.get(places.constraint.topology_key)
            if place is None:
                return _NO_PLACE
            if places.is_full(place):
                return _TOO_MANY
        return None

    def pod_added(self, pod: PodInfo, node: NodeInfo) -> None:
        self._count(pod, node, 1)

    def pod_removed(self, pod: PodInfo, node: NodeInfo) -> None:
        self._count(pod, node, -1)

    def copy(self) -> Self:
        return type(self)(self._pod, [places.copy() for places in self._places], self._inclusion)

    def _count(self, pod: PodInfo, node: NodeInfo, difference: int) -> None:
        if not has_all_keys(node, (places.constraint for places in self._places)):
            return
        for places in self._places:
            constraint = places.constraint
            is_meant = constraint.pods.matches(pod.namespace, pod.labels, terminating=pod.terminating)
            if is_meant and self._inclusion.includes(node, constraint):
                places.count(node.facts.labels[constraint.topology_key], difference)


def _prepare(situation: Situation) -> Check | None:
    pod = situation.pod
    constraints = constraints_of(pod, "DoNotSchedule")
    if not constraints:
        return None
    inclusion = Inclusion(pod)
    nodes = [node for node in situation.cluster.nodes if has_all_keys(node, constraints)]
    places = []
    for constraint in constraints:
        by_node = constraint.counts(situation)
        counts: dict[str, int] = {}
        for node in nodes:
            if inclusion.includes(node, constraint):
                place = node.facts.labels[constraint.topology_key]
                counts[place] = counts.get(place, 0) + by_node.get(node.name, 0)
        places.append(_Places(constraint, int(constraint.selector.matches(pod.labels)), counts))
    return _Spread(pod, places, inclusion)


RULE: Final = Rule(NAME, _prepare)
