"""The scheduler plugin PodTopologySpread: topology spread constraints (``plugins/podtopologyspread``)."""

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any, Final, NamedTuple, Self

from memkube.apimachinery.labels import Requirement
from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.framework import (
    FilterPlugin,
    PreparedFilter,
    Rejection,
    SchedulingContext,
    ScorePlugin,
)
from memkube.controllers.scheduler.neighbours import NodeCounts
from memkube.controllers.scheduler.node_info import NodeChange, NodeInfo, PodChange
from memkube.controllers.scheduler.plugins.node_affinity import RequiredNodeAffinity
from memkube.controllers.scheduler.plugins.taints import tolerates
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import PodSelector, Selector

HOSTNAME: Final = "kubernetes.io/hostname"
_ZONE: Final = "topology.kubernetes.io/zone"
_NO_COUNTS: Final[NodeCounts] = {}
NAME: Final = "PodTopologySpread"
_WORDS: Final = "node(s) didn't match pod topology spread constraints"
_NO_PLACE: Final = Rejection(NAME, (f"{_WORDS} (missing required label)",), resolvable=False)
_TOO_MANY: Final = Rejection(NAME, (_WORDS,), resolvable=True)


class SpreadConstraint(NamedTuple):
    """A topology spread constraint of a pod. Fields that are not set have their default values."""

    max_skew: int
    topology_key: str
    selector: Selector
    pods: PodSelector
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False

    def counts(self, context: SchedulingContext) -> NodeCounts:
        """Return how many of the cached pods in `context` match the constraint's selector, for each node.

        An empty selector matches no pod.
        """
        return _NO_COUNTS if self.selector.is_everything else context.cluster.neighbours.count(self.pods)


class Inclusion:
    """Decides which nodes a topology spread constraint of a pod takes into account.

    This depends on the constraint's ``nodeAffinityPolicy`` and ``nodeTaintsPolicy``.
    """

    def __init__(self, pod: PodInfo) -> None:
        self._affinity = RequiredNodeAffinity(pod.spec)
        self._tolerations = pod.spec.get("tolerations")

    def includes(self, node: NodeInfo, constraint: SpreadConstraint) -> bool:
        """True if the constraint's policies for node affinity and node taints include the node."""
        affinity, labels = self._affinity, node.facts.labels
        if constraint.honors_affinity and not affinity.asks_nothing and not affinity.matches(node.name, labels):
            return False
        return not constraint.honors_taints or all(tolerates(self._tolerations, t) for t in node.facts.taints)


def has_all_keys(node: NodeInfo, constraints: Iterable[SpreadConstraint]) -> bool:
    """True if the node has the labels of all constraints' topology keys."""
    labels = node.facts.labels
    return all(constraint.topology_key in labels for constraint in constraints)


def node_change_helps(pod: PodInfo, change: NodeChange) -> bool:
    """True if a change of a node may make the pod schedulable.

    The node must have, or have had, labels for all topology keys of the pod's DoNotSchedule constraints. It must be new
    or deleted, or these labels or its taints must have changed.
    """
    constraints = constraints_of(pod, "DoNotSchedule")
    keys = [constraint.topology_key for constraint in constraints]
    old, new = change.old, change.new
    had_keys = old is not None and all(key in old.labels for key in keys)
    has_keys = new is not None and all(key in new.labels for key in keys)
    if old is None or new is None or had_keys != has_keys:
        return had_keys or has_keys
    is_moved = any(old.labels.get(key, "") != new.labels.get(key, "") for key in keys)
    return has_keys and (is_moved or old.taints != new.taints or old.avoided != new.avoided)


def pod_change_helps(pod: PodInfo, change: PodChange) -> bool:
    """True if a change of a pod may make the pod `pod` schedulable.

    The changed pod must be in the same namespace. Also, one of these must be true for a DoNotSchedule constraint of
    `pod`:

    - It selects a pod that was added or deleted.
    - It selects the changed pod only before or only after the change.
    - It considers taints, and the tolerations of `pod` itself have changed.
    """
    old, new = change.old, change.new
    constraints = constraints_of(pod, "DoNotSchedule")
    if any(side is not None and side.uid != pod.uid and side.namespace != pod.namespace for side in (old, new)):
        return False
    if old is None or new is None:
        changed = old or new
        return changed is not None and any(constraint.selector.matches(changed.labels) for constraint in constraints)
    tolerates_more = new.uid == pod.uid and new.spec.get("tolerations") != old.spec.get("tolerations")
    if tolerates_more and any(constraint.honors_taints for constraint in constraints):
        return True
    return any(c.selector.matches(old.labels) != c.selector.matches(new.labels) for c in constraints)


def constraints_of(pod: PodInfo, when_unsatisfiable: str) -> list[SpreadConstraint]:
    """Return the pod's topology spread constraints with this ``whenUnsatisfiable``."""
    given = pod.spec.get("topologySpreadConstraints") or ()
    return [_constraint(pod, one) for one in given if one["whenUnsatisfiable"] == when_unsatisfiable]


def default_constraints(context: SchedulingContext) -> list[SpreadConstraint]:
    """Return the default topology spread constraints of the pod in `context`, which are ScheduleAnyway.

    The list is empty if the pod belongs neither to a Service nor to a controller.
    """
    selector = _default_selector(context)
    if selector.is_everything:
        return []
    pods = _pods(context.pod, selector)
    return [SpreadConstraint(3, HOSTNAME, selector, pods), SpreadConstraint(5, _ZONE, selector, pods)]


def _constraint(pod: PodInfo, given: Document) -> SpreadConstraint:
    selector = Selector.of(given.get("labelSelector"))
    keys: Sequence[str] = given.get("matchLabelKeys") or ()
    selector = selector.and_labels({key: pod.labels[key] for key in keys if key in pod.labels})
    return SpreadConstraint(
        given["maxSkew"],
        given["topologyKey"],
        selector,
        _pods(pod, selector),
        given.get("minDomains") or 1,
        given.get("nodeAffinityPolicy", "Honor") == "Honor",
        given.get("nodeTaintsPolicy", "Ignore") == "Honor",
    )


def _pods(pod: PodInfo, selector: Selector) -> PodSelector:
    return PodSelector(frozenset({pod.namespace}), (selector,), living=True)


def _default_selector(context: SchedulingContext) -> Selector:
    """Return a selector of the pods that have the same Services and controller as the pod in `context`.

    It has the requirements of the selectors of the pod's Services and of its controller (``helper/spread.go``).
    """
    pod, listers = context.pod, context.listers
    labels: dict[str, str] = {}
    for service in listers.services_of(pod.namespace):
        wanted: Mapping[str, str] | None = service["spec"].get("selector")
        if wanted is not None and wanted.items() <= pod.labels.items():
            labels.update(wanted)
    controller: dict[str, Any] = listers.controller_of(pod.stored.document) or {}
    selector = (controller.get("spec") or {}).get("selector")
    if controller.get("kind") == "ReplicationController":
        labels.update(selector or {})
        selector = None
    requirements = tuple(Requirement(key, "=", (value,)) for key, value in labels.items())
    if selector is not None:
        requirements += Selector.of(selector).requirements or ()
    return Selector.requiring(requirements)


class _Places:
    """Numbers of matching pods by topology value, for one DoNotSchedule constraint."""

    def __init__(self, constraint: SpreadConstraint, of_itself: int, counts: dict[str, int]) -> None:
        self.constraint = constraint
        self._of_itself = of_itself
        """1 if the constraint counts the pod itself, else 0."""
        self._counts = counts
        self._fewest: int | None = None

    def copy(self) -> "_Places":
        return _Places(self.constraint, self._of_itself, dict(self._counts))

    def count(self, topology_value: str, difference: int) -> None:
        self._counts[topology_value] = self._counts.get(topology_value, 0) + difference
        self._fewest = None

    def is_full(self, topology_value: str) -> bool:
        """True if one more pod on a node with `topology_value` would exceed the constraint's ``maxSkew``."""
        if self._fewest is None:
            enough_places = len(self._counts) >= self.constraint.min_domains
            self._fewest = min(self._counts.values(), default=0) if enough_places else 0
        return self._counts.get(topology_value, 0) + self._of_itself - self._fewest > self.constraint.max_skew


class _Spread(PreparedFilter):
    def __init__(self, pod: PodInfo, places: Sequence[_Places], inclusion: Inclusion) -> None:
        self._pod = pod
        self._places = places
        self._inclusion = inclusion

    def rejects(self, node: NodeInfo) -> Rejection | None:
        labels = node.facts.labels
        for places in self._places:
            topology_value = labels.get(places.constraint.topology_key)
            if topology_value is None:
                return _NO_PLACE
            if places.is_full(topology_value):
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


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    pod = context.pod
    constraints = constraints_of(pod, "DoNotSchedule")
    if not constraints:
        return None
    inclusion = Inclusion(pod)
    nodes = [node for node in context.cluster.nodes if has_all_keys(node, constraints)]
    places = []
    for constraint in constraints:
        by_node = constraint.counts(context)
        counts: dict[str, int] = {}
        for node in nodes:
            if inclusion.includes(node, constraint):
                topology_value = node.facts.labels[constraint.topology_key]
                counts[topology_value] = counts.get(topology_value, 0) + by_node.get(node.name, 0)
        places.append(_Places(constraint, int(constraint.selector.matches(pod.labels)), counts))
    return _Spread(pod, places, inclusion)


RULE: Final = FilterPlugin(NAME, _prepare)


class _Groups(NamedTuple):
    """Numbers of matching pods by topology value, for one ScheduleAnyway constraint."""

    constraint: SpreadConstraint
    by_node: NodeCounts
    by_topology_value: dict[str, int]
    weight: float
    """Factor of the constraint in the score of a node.

    It grows with the number of topology values, so that constraints with few values do not dominate.
    """

    def crowding(self, node: NodeInfo) -> float:
        key = self.constraint.topology_key
        topology_value = node.facts.labels.get(key)
        if topology_value is None:
            return 0
        pods = self.by_node.get(node.name, 0) if key == HOSTNAME else self.by_topology_value[topology_value]
        return pods * self.weight + self.constraint.max_skew - 1


def _score(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    pod = context.pod
    own = bool(pod.spec.get("topologySpreadConstraints"))
    constraints = constraints_of(pod, "ScheduleAnyway") if own else default_constraints(context)
    if not constraints:
        return None
    scored = [node for node in nodes if not own or has_all_keys(node, constraints)]
    everything = [n for n in context.cluster.nodes if not own or has_all_keys(n, constraints)]
    inclusion = Inclusion(pod)
    places = [_count(context, constraint, scored, everything, inclusion) for constraint in constraints]
    crowding = {node.name: int(sum(one.crowding(node) for one in places) + 0.5) for node in scored}
    return _normalized(crowding, nodes)


def _count(
    context: SchedulingContext,
    constraint: SpreadConstraint,
    scored: Sequence[NodeInfo],
    everything: Sequence[NodeInfo],
    inclusion: Inclusion,
) -> _Groups:
    key, by_node = constraint.topology_key, constraint.counts(context)
    if key == HOSTNAME:
        return _Groups(constraint, by_node, {}, log(len(scored) + 2))
    by_topology_value = {node.facts.labels.get(key, ""): 0 for node in scored}
    for node in everything:
        topology_value = node.facts.labels.get(key, "")
        if topology_value in by_topology_value and inclusion.includes(node, constraint):
            by_topology_value[topology_value] += by_node.get(node.name, 0)
    return _Groups(constraint, by_node, by_topology_value, log(len(by_topology_value) + 2))


def _normalized(crowding: dict[str, int], nodes: Sequence[NodeInfo]) -> list[int]:
    """Convert numbers of matching pods to scores.

    Fewer pods give a higher score. Nodes that are missing in `crowding` lack a topology key and get 0.
    """
    if not crowding:
        return [0] * len(nodes)
    most, least = max(crowding.values()), min(crowding.values())
    if not most:
        return [100 if node.name in crowding else 0 for node in nodes]
    return [100 * (most + least - crowding[node.name]) // most if node.name in crowding else 0 for node in nodes]


SCORE: Final = ScorePlugin(NAME, 2, _score)
