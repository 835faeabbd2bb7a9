"""How evenly a pod wants pods of its kind to be spread (``plugins/podtopologyspread``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memkube.apimachinery.labels import Requirement
from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.framework import Situation
from memkube.controllers.scheduler.neighbours import NodeCounts
from memkube.controllers.scheduler.node_affinity import RequiredNodeAffinity
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import PodSelector, Selector
from memkube.controllers.scheduler.tolerations import tolerates

HOSTNAME: Final = "kubernetes.io/hostname"
_ZONE: Final = "topology.kubernetes.io/zone"
_NO_COUNTS: Final[NodeCounts] = {}


class SpreadConstraint(NamedTuple):
    """One constraint, with what is left out filled in."""

    max_skew: int
    topology_key: str
    selector: Selector
    pods: PodSelector
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False

    def counts(self, situation: Situation) -> NodeCounts:
        """How many pods are meant, by node. A selector without requirements means none."""
        return _NO_COUNTS if self.selector.is_everything else situation.cluster.neighbours.count(self.pods)


class Inclusion:
    """Which nodes count for a pod's constraints."""

    def __init__(self, pod: PodInfo) -> None:
        self._affinity = RequiredNodeAffinity(pod.spec)
        self._tolerations = pod.spec.get("tolerations")

    def includes(self, node: NodeInfo, constraint: SpreadConstraint) -> bool:
        """Whether a node counts for a constraint."""
        if constraint.honors_affinity and not self._affinity.asks_nothing and not self._affinity.matches(node):
            return False
        return not constraint.honors_taints or all(tolerates(self._tolerations, t) for t in node.facts.taints)


def has_all_keys(node: NodeInfo, constraints: Iterable[SpreadConstraint]) -> bool:
    """Whether a node is in some place for every constraint."""
    labels = node.facts.labels
    return all(constraint.topology_key in labels for constraint in constraints)


def constraints_of(pod: PodInfo, when_unsatisfiable: str) -> list[SpreadConstraint]:
    """The pod's own constraints of one kind: DoNotSchedule or ScheduleAnyway."""
    given = pod.spec.get("topologySpreadConstraints") or ()
    return [_constraint(pod, one) for one in given if one["whenUnsatisfiable"] == when_unsatisfiable]


def default_constraints(situation: Situation) -> list[SpreadConstraint]:
    """What pods of services and of controllers are given that say nothing themselves; all are but wishes."""
    selector = _default_selector(situation)
    if selector.is_everything:
        return []
    pods = _pods(situation.pod, selector)
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


def _default_selector(situation: Situation) -> Selector:
    """What the pod's services and its controller select by (``helper/spread.go``)."""
    pod, surroundings = situation.pod, situation.surroundings
    labels: dict[str, str] = {}
    for service in surroundings.services_of(pod.namespace):
        wanted: Mapping[str, str] | None = service["spec"].get("selector")
        if wanted is not None and wanted.items() <= pod.labels.items():
            labels.update(wanted)
    controller: dict[str, Any] = surroundings.controller_of(pod.stored.document) or {}
    selector = (controller.get("spec") or {}).get("selector")
    if controller.get("kind") == "ReplicationController":
        labels.update(selector or {})
        selector = None
    requirements = tuple(Requirement(key, "=", (value,)) for key, value in labels.items())
    if selector is not None:
        requirements += Selector.of(selector).requirements or ()
    return Selector.requiring(requirements)
