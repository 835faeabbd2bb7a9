"""The scheduler plugin InterPodAffinity: pod affinity and anti-affinity (``plugins/interpodaffinity``)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Self, TypeAlias

from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.framework import (
    ClusterListers,
    FilterPlugin,
    PreparedFilter,
    Rejection,
    SchedulingContext,
    ScorePlugin,
)
from memkube.controllers.scheduler.neighbours import NodeCounts
from memkube.controllers.scheduler.node_info import NodeChange, NodeInfo, PodChange
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import AffinityTerm, Labels, PodSelector

NAME: Final = "InterPodAffinity"
_NOT_NEAR: Final = Rejection(NAME, ("node(s) didn't match pod affinity rules",), resolvable=False)
_NOT_FAR: Final = Rejection(NAME, ("node(s) didn't match pod anti-affinity rules",), resolvable=True)
_NOT_WANTED: Final = Rejection(NAME, ("node(s) didn't satisfy existing pods anti-affinity rules",), resolvable=True)
_Places: TypeAlias = dict[tuple[str, str | None], int]
"""Number of pods, by topology key and by the value of this label on their nodes. Nodes without it are left out."""
_OF_REQUIRED: Final = 1
"""Weight in scores of a required affinity term of an existing pod that selects the pod to be scheduled."""


def pods_of_term(term: AffinityTerm, listers: ClusterListers) -> PodSelector:
    """Return a selector of the pods that an affinity term selects; `listers` has the namespaces' labels."""
    return PodSelector(_namespaces(term, listers), (term.selector,))


def pods_of_all(terms: Iterable[AffinityTerm], listers: ClusterListers) -> PodSelector:
    """Return a selector of the pods that all affinity terms select; `listers` has the namespaces' labels."""
    namespaces: frozenset[str] | None = None
    selectors = []
    for term in terms:
        names = _namespaces(term, listers)
        if names is not None:
            namespaces = names if namespaces is None else namespaces & names
        selectors.append(term.selector)
    return PodSelector(namespaces, tuple(selectors))


def _namespaces(term: AffinityTerm, listers: ClusterListers) -> frozenset[str] | None:
    selector = term.namespace_selector
    if selector.is_everything:
        return None
    if selector.requirements is None:
        return term.namespaces
    return term.namespaces | {n.name for n in listers.namespaces if selector.matches(n.labels)}


def node_change_helps(pod: PodInfo, change: NodeChange) -> bool:
    """True if a change of a node may make the pod schedulable, because the node moves to another topology domain.

    This is so if the node gets or changes the label of a topology key of the pod's affinity, or loses or changes the
    label of a topology key of its anti-affinity. A new node may help any pod with anti-affinity.
    """
    old, new = change.old, change.new
    if new is None:
        return False
    if old is None:
        return bool(pod.terms.anti_affinity) or any(term.topology_key in new.labels for term in pod.terms.affinity)
    near = ((old.labels.get(term.topology_key), new.labels.get(term.topology_key)) for term in pod.terms.affinity)
    far = ((old.labels.get(term.topology_key), new.labels.get(term.topology_key)) for term in pod.terms.anti_affinity)
    return any(after is not None and before != after for before, after in near) or any(
        before is not None and before != after for before, after in far
    )


def pod_change_helps(pod: PodInfo, change: PodChange) -> bool:
    """True if a change of a pod may make the pod `pod` schedulable.

    Each of these changes may do so:

    - `pod` itself has changed.
    - The affinity of `pod` selects the changed pod, but did not select it before.
    - The anti-affinity of `pod` selected the changed pod, but no longer does.
    - The changed pod was deleted, and its anti-affinity selects `pod`.
    """
    old, new, terms = change.old, change.new, pod.terms
    if old is not None and new is not None:
        if new.uid == pod.uid:
            return True
        joins = not _all_select(terms.affinity, old) and _all_select(terms.affinity, new)
        return joins or (_all_select(terms.anti_affinity, old) and not _all_select(terms.anti_affinity, new))
    if new is not None:
        return _all_select(terms.affinity, new)
    assert old is not None, "the change has a pod"
    return _all_select(terms.anti_affinity, old) or _all_select(old.terms.anti_affinity, pod)


def _all_select(terms: Sequence[AffinityTerm], pod: PodInfo) -> bool:
    """True if there are terms and all of them select the pod.

    As in kube-scheduler's hints, the labels of the pod's namespace count as empty.
    """
    return bool(terms) and all(term.matches(pod.namespace, {}, pod.labels) for term in terms)


class _Asked(NamedTuple):
    """Required affinity and anti-affinity terms of the pod to be scheduled."""

    pod: PodInfo
    namespace_labels: Labels
    affinity: Sequence[AffinityTerm]
    affinity_pods: PodSelector
    anti_affinity: Sequence[tuple[AffinityTerm, PodSelector]]

    def accepts_itself(self) -> bool:
        """True if the required affinity terms of the pod select the pod itself."""
        return _is_one_of(self.affinity_pods, self.pod)


class _Neighbours(PreparedFilter):
    def __init__(self, asked: _Asked, affinity: _Places, anti_affinity: _Places, unwelcome: _Places) -> None:
        self._asked = asked
        self._affinity = affinity
        self._anti_affinity = anti_affinity
        self._unwelcome = unwelcome
        self._unwelcome_keys = {key for key, _ in unwelcome}

    def rejects(self, node: NodeInfo) -> Rejection | None:
        labels = node.facts.labels
        if self._asked.affinity and not self._has_friends(labels):
            return _NOT_NEAR
        for term, _ in self._asked.anti_affinity:
            if self._anti_affinity.get((term.topology_key, labels.get(term.topology_key)), 0) > 0:
                return _NOT_FAR
        for key in self._unwelcome_keys:
            if self._unwelcome.get((key, labels.get(key)), 0) > 0:
                return _NOT_WANTED
        return None

    def pod_added(self, pod: PodInfo, node: NodeInfo) -> None:
        self._count(pod, node, 1)

    def pod_removed(self, pod: PodInfo, node: NodeInfo) -> None:
        self._count(pod, node, -1)

    def copy(self) -> Self:
        return type(self)(self._asked, dict(self._affinity), dict(self._anti_affinity), dict(self._unwelcome))

    def _has_friends(self, labels: Labels) -> bool:
        places = [(term.topology_key, labels.get(term.topology_key)) for term in self._asked.affinity]
        if any(topology_value is None for _, topology_value in places):
            return False
        if all(self._affinity.get(place, 0) > 0 for place in places):
            return True
        # If no existing pod matches the required terms, accept a pod that matches its own terms: the first of a group.
        return not self._affinity and self._asked.accepts_itself()

    def _count(self, pod: PodInfo, node: NodeInfo, difference: int) -> None:
        asked = self._asked
        if asked.affinity and _is_one_of(asked.affinity_pods, pod):
            for term in asked.affinity:
                _add(self._affinity, term, node, difference)
        for term, pods in asked.anti_affinity:
            if _is_one_of(pods, pod):
                _add(self._anti_affinity, term, node, difference)
        for term in pod.terms.anti_affinity:
            if term.matches(asked.pod.namespace, asked.namespace_labels, asked.pod.labels):
                _add(self._unwelcome, term, node, difference)
                self._unwelcome_keys.add(term.topology_key)


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    pod, cluster, listers = context.pod, context.cluster, context.listers
    terms, neighbours = pod.terms, cluster.neighbours
    if not terms.affinity and not terms.anti_affinity and not neighbours.anti_affinity:
        return None
    anti_affinity = [(term, pods_of_term(term, listers)) for term in terms.anti_affinity]
    labels = listers.namespace_labels(pod.namespace)
    asked = _Asked(pod, labels, terms.affinity, pods_of_all(terms.affinity, listers), anti_affinity)
    near_places: _Places = {}
    far_places: _Places = {}
    unwelcome: _Places = {}
    if terms.affinity:
        counts = neighbours.count(asked.affinity_pods)
        for term in terms.affinity:
            _add_all(near_places, term, counts, cluster)
    for term, pods in anti_affinity:
        _add_all(far_places, term, neighbours.count(pods), cluster)
    for term, _, counts in neighbours.anti_affinity:
        if term.matches(pod.namespace, labels, pod.labels):
            _add_all(unwelcome, term, counts, cluster)
    if not terms.affinity and not terms.anti_affinity and not unwelcome:
        return None
    return _Neighbours(asked, near_places, far_places, unwelcome)


def _add_all(places: _Places, term: AffinityTerm, counts: NodeCounts, cluster: Cluster) -> None:
    for name, number in counts.items():
        node = cluster.node(name)
        if node is not None:
            _add(places, term, node, number)


def _add(places: _Places, term: AffinityTerm, node: NodeInfo, difference: int) -> None:
    topology_value = node.facts.labels.get(term.topology_key)
    if topology_value is None:
        return
    pair = term.topology_key, topology_value
    number = places.get(pair, 0) + difference
    if number:
        places[pair] = number
    else:
        places.pop(pair, None)


def _is_one_of(pods: PodSelector, pod: PodInfo) -> bool:
    return pods.matches(pod.namespace, pod.labels, terminating=pod.terminating)


RULE: Final = FilterPlugin(NAME, _prepare)


def _score(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    neighbours = context.cluster.neighbours
    if not context.pod.terms.preferred and not neighbours.affinity and not neighbours.preferred:
        return None
    liking: _Places = {}
    for term, weight, counts in _matching(context):
        for name, number in counts.items():
            there = context.cluster.node(name)
            topology_value = None if there is None else there.facts.labels.get(term.topology_key)
            if topology_value is not None:
                pair = term.topology_key, topology_value
                liking[pair] = liking.get(pair, 0) + weight * number
    if not liking:
        return None
    keys = {key for key, _ in liking}
    sums = [sum(liking.get((key, node.facts.labels.get(key)), 0) for key in keys) for node in nodes]
    most, least = max(sums), min(sums)
    return [int(100 * ((one - least) / (most - least))) for one in sums] if most > least else None


def _matching(context: SchedulingContext) -> Iterator[tuple[AffinityTerm, int, NodeCounts]]:
    """Yield the affinity terms that affect the scores of nodes for the pod in `context`.

    Each result is (term, weight, numbers of pods by node). For a preferred term of the pod itself, the numbers count
    the pods that the term selects. For a term of other pods that selects the pod, they count the pods that have the
    term.
    """
    pod, cluster, listers = context.pod, context.cluster, context.listers
    labels = listers.namespace_labels(pod.namespace)
    for term, weight in pod.terms.preferred:
        yield term, weight, cluster.neighbours.count(pods_of_term(term, listers))
    for term, _, counts in cluster.neighbours.affinity:
        if term.matches(pod.namespace, labels, pod.labels):
            yield term, _OF_REQUIRED, counts
    for term, weight, counts in cluster.neighbours.preferred:
        if term.matches(pod.namespace, labels, pod.labels):
            yield term, weight, counts


SCORE: Final = ScorePlugin(NAME, 2, _score)
