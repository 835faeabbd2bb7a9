"""The pods to create and delete in one reconciliation of a DaemonSet (``podsShouldBeOnNode``)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.daemonset.placement import Decision
from memkube.controllers.daemonset.view import View, age_order
from memkube.controllers.framework.backoff import Backoff
from memkube.controllers.framework.event_correlation import Report
from memkube.controllers.framework.pods_by_node import node_of
from memkube.controllers.workloads.pod_state import is_ready, is_terminating
from memkube.controllers.workloads.revisions import REVISION_HASH
from memkube.controllers.workloads.scaled_value import scaled_value
from memkube.registry.objects.stored import StoredObject

_FIRST_DELAY: Final = timedelta(seconds=1)
_LONGEST_DELAY: Final = timedelta(minutes=15)


@dataclass(slots=True)
class Plan:
    """The pods that a DaemonSet's reconciliation creates and deletes, and the Events it records."""

    nodes: list[str] = field(default_factory=list)
    """Names of the nodes for which pods are created."""
    surplus: list[StoredObject] = field(default_factory=list)
    """Pods to delete."""
    reports: list[Report] = field(default_factory=list)
    """Events about the DaemonSet, which are recorded before pods are created or deleted."""
    delays: list[float] = field(default_factory=list)
    """Seconds until the next reconciliation, which deletes the failed pods whose deletion is delayed."""


class FailedPodBackoffs:
    """Delays before failed pods of one DaemonSet are deleted, by the DaemonSet's observed generation and the node."""

    def __init__(self) -> None:
        self._backoffs: dict[tuple[int, str], Backoff] = {}

    def seconds_left(self, generation: int, node: str, now: datetime) -> float:
        """Return the seconds to wait before a failed pod is deleted.

        If that is 0, the caller deletes the pod, and the next delay is twice as long.
        """
        key = generation, node
        backoff = self._backoffs.get(key)
        if backoff is not None and backoff.waits_since_update(now):
            return backoff.delay.total_seconds()
        if backoff is None:
            self._backoffs = {key: other for key, other in self._backoffs.items() if not other.is_over(now)}
            backoff = self._backoffs[key] = Backoff(_FIRST_DELAY, _LONGEST_DELAY)
        backoff.lengthen(now, now)
        return 0

    def saved(self) -> Sequence[Document]:
        """Return the back-offs as JSON data, for a snapshot."""
        return [{"generation": g, "node": node, **b.saved()} for (g, node), b in self._backoffs.items()]

    def restore(self, saved: Sequence[Document]) -> None:
        """Restore saved back-offs. Raises ValueError, TypeError or KeyError for malformed data."""
        for one in saved:
            backoff = Backoff(_FIRST_DELAY, _LONGEST_DELAY)
            backoff.restore(one)
            self._backoffs[one["generation"], one["node"]] = backoff


def plan_pods(view: View, backoffs: FailedPodBackoffs) -> Plan:
    """Plan the pods that nodes need and the pods that should not be on their nodes."""
    planner = _Planner(view, backoffs)
    for node, decision in view.decisions.items():
        planner.plan_node(node, decision)
    for node, pods in view.pods.items():
        if node not in view.decisions:
            # The pod garbage collector deletes only pods that are bound to a node.
            planner.plan.surplus += [pod for pod in pods if not node_of(pod)]
    return planner.plan


def surge_count(daemon_set: Document, nodes: int) -> int:
    """Return the number of nodes that may have an old and a new pod at the same time (``maxSurge``)."""
    return scaled_value(_rolling_update(daemon_set).get("maxSurge"), nodes, round_up=True)


def unavailable_count(daemon_set: Document, nodes: int) -> int:
    """Return the number of nodes that may be without an available pod during an update (``maxUnavailable``)."""
    return scaled_value(_rolling_update(daemon_set).get("maxUnavailable"), nodes, round_up=True)


def _rolling_update(daemon_set: Document) -> Document:
    strategy = daemon_set["spec"]["updateStrategy"]
    return (strategy.get("rollingUpdate") or {}) if strategy.get("type") == "RollingUpdate" else {}


class _Planner:
    def __init__(self, view: View, backoffs: FailedPodBackoffs) -> None:
        self._view = view
        self._backoffs = backoffs
        self._generation: int = view.document["status"].get("observedGeneration", 0)
        self._surges = surge_count(view.document, 1) > 0
        self.plan = Plan()

    def plan_node(self, node: str, decision: Decision) -> None:
        """Add the pods to create and delete on one node to the plan."""
        pods = self._view.pods.get(node)
        if pods is None:
            if decision.runs:
                self.plan.nodes.append(node)
            return
        pods = [pod for pod in pods if not is_terminating(pod)]
        if not decision.continues:
            self.plan.surplus += pods
            return
        running = sorted((pod for pod in pods if not self._ended(node, pod)), key=age_order)
        if not self._surges:
            self.plan.surplus += running[1:]
        elif running:
            self._prune(running)
        elif decision.runs:
            self.plan.nodes.append(node)

    def _ended(self, node: str, pod: StoredObject) -> bool:
        """Return True if a pod has ended, and plan its deletion. A failed pod is deleted only after its back-off."""
        phase = pod.document["status"].get("phase")
        if phase == "Succeeded":
            text = f"Found succeeded daemon pod {pod.namespace}/{pod.name} on node {node}, will try to delete it"
            self._delete(pod, Report("Normal", "SucceededDaemonPod", text))
        elif phase == "Failed":
            delay = self._backoffs.seconds_left(self._generation, node, self._view.now)
            if delay:
                self.plan.delays.append(delay)
            else:
                text = f"Found failed daemon pod {pod.namespace}/{pod.name} on node {node}, will try to kill it"
                self._delete(pod, Report("Warning", "FailedDaemonPod", text))
        return phase in ("Succeeded", "Failed")

    def _delete(self, pod: StoredObject, report: Report) -> None:
        self.plan.reports.append(report)
        self.plan.surplus.append(pod)

    def _prune(self, running: Sequence[StoredObject]) -> None:
        """Keep the oldest new pod of a node.

        Keep the oldest old pod while it is ready and the new pod is not available.
        """
        new: list[StoredObject] = []
        old: list[StoredObject] = []
        for pod in running:
            (new if pod.labels.get(REVISION_HASH, "") == self._view.revision else old).append(pod)
        self.plan.surplus += new[1:] + old[1:]
        if new and old and (not is_ready(old[0]) or self._view.is_available(new[0])):
            self.plan.surplus.append(old[0])
