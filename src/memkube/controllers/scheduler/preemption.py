"""Preemption: evicts pods of lower priority to make room for a pod (``plugins/defaultpreemption``)."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.time import Time
from memkube.controllers.framework.informer import Informer
from memkube.controllers.scheduler import reports
from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.filtering import Filtering, FitError
from memkube.controllers.scheduler.framework import Rejection, SchedulingContext
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import Selector
from memkube.controllers.scheduler.pod_writer import PodWriter
from memkube.registry.objects.stored import StoredObject

_RULE: Final = "DefaultPreemption"
NO_VICTIMS: Final = Rejection(_RULE, ("No preemption victims found for incoming pod",), resolvable=False)
NOT_HELPFUL: Final = Rejection(_RULE, ("Preemption is not helpful for scheduling",), resolvable=False)
_LEAST_CANDIDATES: Final = 100
_CANDIDATE_SHARE: Final = 10
_PREFIX: Final = "preemption: "
"""Text in a message before the result of preemption."""
_LEAST_PRIORITY: Final = -(2**31)
_LOGGER = logging.getLogger("memkube.controllers")


class Importance:
    """Order of importance of pods: higher priority first, then earlier start."""

    def __init__(self, now: datetime) -> None:
        self._now = now.timestamp()

    def rank(self, pod: PodInfo) -> tuple[int, float]:
        """Return the sort key of a pod: pods of higher priority come first, then pods that started earlier."""
        return -pod.priority, self._started(pod)

    def earliest_start(self, pods: Sequence[PodInfo]) -> float:
        """Return the earliest start time among the pods with the highest priority.

        `pods` must be sorted by importance. Times are in seconds since 1970.
        """
        return min(self._started(pod) for pod in pods if pod.priority == pods[0].priority)

    def _started(self, pod: PodInfo) -> float:
        start = pod.stored.document["status"].get("startTime")
        return self._now if start is None else Time(start).instant.timestamp()


class _Budget(NamedTuple):
    namespace: str
    selector: Selector
    allowed: int
    disrupted: frozenset[str]
    """Names of the pods whose eviction was allowed already, so that it is not counted again."""

    @classmethod
    def of(cls, stored: StoredObject) -> "_Budget":
        spec, status = stored.document.get("spec") or {}, stored.document.get("status") or {}
        disrupted = frozenset(status.get("disruptedPods") or ())
        selector = Selector.of(spec.get("selector"))
        return cls(stored.namespace, selector, status.get("disruptionsAllowed", 0), disrupted)

    def counts(self, pod: PodInfo) -> bool:
        """True if the PodDisruptionBudget would count the eviction of this pod as a disruption."""
        if pod.namespace != self.namespace or pod.name in self.disrupted or not pod.labels:
            return False
        return not self.selector.is_everything and self.selector.matches(pod.labels)


class Budgets:
    """All PodDisruptionBudgets, with the numbers of disruptions that they allow now."""

    def __init__(self, informer: Informer) -> None:
        self._budgets = [_Budget.of(stored) for stored in informer]

    def select(self, pod: PodInfo) -> bool:
        """True if any of the PodDisruptionBudgets would count the eviction of this pod as a disruption."""
        return any(budget.counts(pod) for budget in self._budgets)

    def split(self, pods: Iterable[PodInfo]) -> tuple[Sequence[PodInfo], Sequence[PodInfo]]:
        """Return two lists: the pods whose eviction would violate a PodDisruptionBudget, and the other pods."""
        left = [budget.allowed for budget in self._budgets]
        violating: list[PodInfo] = []
        others: list[PodInfo] = []
        for pod in pods:
            violates = False
            for index, budget in enumerate(self._budgets):
                if budget.counts(pod):
                    left[index] -= 1
                    violates = violates or left[index] < 0
            (violating if violates else others).append(pod)
        return violating, others


class Victims(NamedTuple):
    """Pods to be evicted from a node, the most important first."""

    node: str
    pods: Sequence[PodInfo]
    violations: int
    """Number of the victims whose eviction violates a PodDisruptionBudget."""


class NodeSimulation:
    """Copy of a node to simulate the eviction of its pods."""

    def __init__(self, filtering: Filtering, node: NodeInfo) -> None:
        self.node = node.copy()
        self._filtering = filtering.copy()

    def rejection(self) -> Rejection | None:
        """Return why the preempting pod does not fit on the simulated node, or None if it fits."""
        return self._filtering.rejects(self.node)

    def remove(self, pod: PodInfo) -> None:
        """Remove a pod from the simulated node, to simulate its eviction."""
        self.node.remove(pod)
        for check in self._filtering.checks:
            check.pod_removed(pod, self.node)

    def add(self, pod: PodInfo) -> None:
        """Add a removed pod to the simulated node again."""
        self.node.add(pod)
        for check in self._filtering.checks:
            check.pod_added(pod, self.node)


def find_victims(
    preemptor: PodInfo, filtering: Filtering, node: NodeInfo, budgets: Budgets, importance: Importance
) -> Victims | Rejection:
    """Return the pods to evict from a node for `preemptor`, as few as possible, or why evictions do not help.

    `filtering` has the filter plugins prepared for `preemptor`, `budgets` the PodDisruptionBudgets, and `importance`
    orders pods.

    The simulation removes all pods of lower priority. Then it adds them again one by one, but only those beside which
    the preempting pod still fits. The pods whose eviction would violate a PodDisruptionBudget are added first; within
    both groups, more important pods come before others.
    """
    candidates = [pod for pod in node.pods.values() if pod.priority < preemptor.priority]
    if not candidates:
        return NO_VICTIMS
    supposed = NodeSimulation(filtering, node)
    for pod in candidates:
        supposed.remove(pod)
    rejection = supposed.rejection()
    if rejection is not None:
        return rejection
    protected, others = budgets.split(sorted(candidates, key=importance.rank))
    violating = _not_restorable(supposed, protected)
    victims = [*violating, *_not_restorable(supposed, others)]
    if not victims:
        return NO_VICTIMS
    return Victims(node.name, sorted(victims, key=importance.rank), len(violating))


def _not_restorable(supposed: NodeSimulation, pods: Sequence[PodInfo]) -> list[PodInfo]:
    """Add removed pods to the simulated node `supposed` again if the preempting pod still fits beside them.

    The pods are tried one by one. Returns the pods that must be evicted, because the preempting pod fits only without
    them.
    """
    doomed = []
    for pod in pods:
        supposed.add(pod)
        if supposed.rejection() is not None:
            supposed.remove(pod)
            doomed.append(pod)
    return doomed


class Attempt(NamedTuple):
    """Result of preemption for a pod: the pods to evict, or a message."""

    message: str = ""
    """Reason why no pods can be evicted, for a message; empty if pods can be evicted."""
    promised_node: str | None = None
    """Name of the node to nominate the pod to; empty to remove its nomination, None to keep it."""
    victims: Victims | None = None


def attempt(
    context: SchedulingContext, filtering: Filtering | None, fit_error: FitError, importance: Importance, before: str
) -> Attempt:
    """Find a node on which the unschedulable pod in `context` fits after the eviction of pods of lower priority.

    `filtering` has the filter plugins prepared for the pod, or is None if no node was examined. `fit_error` has the
    reasons why the pod fits on no node, and `importance` orders pods.

    Returns the pods to evict, or a message that says why preemption does not help. The message begins with `before`,
    which is the result of the plugin DynamicResources; it is empty if this plugin does not run.
    """
    prefix = f"{before}, {_PREFIX}" if before else _PREFIX
    why = _not_eligible(context, fit_error)
    if why:
        return Attempt(f"{prefix}not eligible due to {why}.")
    candidates: Sequence[Victims] = ()
    rejections: Mapping[str, Rejection] = {}
    if filtering is not None:
        candidates, rejections = _candidates(context, filtering, fit_error, importance)
    if not candidates:
        number = len(context.cluster.nodes)
        return Attempt(prefix + FitError(number, rejections, NOT_HELPFUL).message(), "")
    best = min(candidates, key=lambda victims: _loss(victims, importance))
    return Attempt("", best.node, best)


def _not_eligible(context: SchedulingContext, fit_error: FitError) -> str:
    """Return why the unschedulable pod in `context` must not preempt other pods; empty if it may.

    `fit_error` has the reasons why the pod fits on no node.
    """
    pod, cluster = context.pod, context.cluster
    if pod.spec.get("preemptionPolicy") == "Never":
        return "preemptionPolicy=Never"
    promised = cluster.node(cluster.nominations.node_of(pod.uid))
    if promised is None:
        return ""
    rejection = fit_error.rejections.get(promised.name)
    if rejection is None or not rejection.resolvable:
        return ""
    leaving = (other for other in promised.pods.values() if other.priority < pod.priority)
    return "a terminating pod on the nominated node" if any(map(_is_being_evicted, leaving)) else ""


def _is_being_evicted(pod: PodInfo) -> bool:
    conditions = pod.stored.document["status"].get("conditions") or ()
    return pod.terminating and any(
        c["type"] == "DisruptionTarget" and c["status"] == "True" and c.get("reason") == "PreemptionByScheduler"
        for c in conditions
    )


def _candidates(
    context: SchedulingContext, filtering: Filtering, fit_error: FitError, importance: Importance
) -> tuple[list[Victims], dict[str, Rejection]]:
    """Find nodes on which the pod in `context` would fit after the eviction of less important pods.

    `filtering` has the filter plugins prepared for the pod, `fit_error` the reasons why it fits on no node, and
    `importance` orders pods. Returns the pods to evict for each node that was found, and for other nodes the reasons
    why an eviction does not help.
    """
    pod, cluster, listers = context.pod, context.cluster, context.listers
    rejections = fit_error.rejections
    nodes = [node for node in cluster.nodes if node.name in rejections and rejections[node.name].resolvable]
    if not cluster.has_less_important(pod.priority):
        return [], {node.name: NO_VICTIMS for node in nodes}
    budgets = Budgets(listers.budgets)
    found: list[Victims] = []
    in_vain: dict[str, Rejection] = {}
    for node in nodes:
        victims = find_victims(pod, filtering, node, budgets, importance)
        if isinstance(victims, Victims):
            found.append(victims)
            if _is_enough(found, nodes):
                break
        else:
            in_vain[node.name] = victims
    return found, in_vain


def _is_enough(found: list[Victims], nodes: list[NodeInfo]) -> bool:
    enough = max(len(nodes) * _CANDIDATE_SHARE // 100, _LEAST_CANDIDATES)
    return len(found) >= enough and any(not victims.violations for victims in found)


def _loss(victims: Victims, importance: Importance) -> tuple[int, int, int, int, float]:
    """Return a sort key of nodes: smaller if the eviction of `victims`, the pods to evict from a node, does less harm.

    In this order, less harm means: fewer violations of PodDisruptionBudgets, a lower highest priority, a lower sum of
    priorities, fewer pods, and a later start of the pods with the highest priority. `importance` has the start times.
    """
    pods = victims.pods
    return (
        victims.violations,
        pods[0].priority,
        sum(pod.priority - _LEAST_PRIORITY for pod in pods),
        len(pods),
        -importance.earliest_start(pods),
    )


async def evict(preemptor: PodInfo, victims: Victims, cluster: Cluster, writer: PodWriter) -> bool:
    """Evict the pods in `victims` in favour of `preemptor`, with the grace periods in their specs.

    `writer` sends the requests. Returns True if all of them succeed, and False after the first failure. Pods of lower
    priority that are nominated to the same node lose their nomination, because they may no longer fit there. `cluster`
    has the nominations.
    """
    try:
        for other in list(cluster.nominations.on(victims.node)):
            if other.priority < preemptor.priority:
                await writer.set_status(other, None, "")
        for victim in victims.pods:
            if not victim.terminating:
                await writer.set_status(victim, reports.disruption_target(preemptor, victim), None)
                await writer.delete(victim)
                report = reports.preempted(preemptor, victims.node)
                await writer.report(preemptor.scheduler_name, victim, report, preemptor)
    except ApiError as error:
        _LOGGER.warning("cannot preempt for %s/%s on %s: %s", preemptor.namespace, preemptor.name, victims.node, error)
        return False
    return True
