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
    """The pods that one reconciliation of a DaemonSet creates and deletes, and the Events that it records."""

    nodes: list[str] = field(default_factory=list)
    """Names of the nodes for which the DaemonSet controller creates a pod."""
    surplus: list[StoredObject] = field(default_factory=list)
    """Pods of the DaemonSet that the controller deletes."""
    reports: list[Report] = field(default_factory=list)
    """Events about the DaemonSet, recorded before its pods are created and deleted."""
    delays: list[float] = field(default_factory=list)
    """For each failed pod that is in back-off, the seconds until the DaemonSet is reconciled again to delete it."""


class FailedPodBackoffs:
    """Exponential delays before failed pods of one DaemonSet are deleted, by template generation and node."""

    def __init__(self) -> None:
        self._backoffs: dict[tuple[int, str], Backoff] = {}

    def seconds_left(self, generation: int, node: str, now: datetime) -> float:
        """Return the seconds to wait before a failed pod on a node is deleted.

        `generation` is that of the DaemonSet's pod template. If the result is 0, the caller deletes the pod, and the
        delay for the next failed pod on this node doubles.
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
        """Return the delays of failed pods as JSON data, for a snapshot."""
        return [{"generation": g, "node": node, **b.saved()} for (g, node), b in self._backoffs.items()]

    def restore(self, saved: Sequence[Document]) -> None:
        """Restore the delays from `saved`, the result of the method `saved`.

        Raises ValueError, TypeError or KeyError for malformed data.
        """
        for entry in saved:
            backoff = Backoff(_FIRST_DELAY, _LONGEST_DELAY)
            backoff.restore(entry)
            self._backoffs[entry["generation"], entry["node"]] = backoff


def plan_pods(view: View, backoffs: FailedPodBackoffs) -> Plan:
    """Plan which pods of a DaemonSet to create on nodes that need one, and which to delete from other nodes.

    `view` is the DaemonSet with its pods, and a decision for each node. `backoffs` delay the deletion of failed pods.
    """
    planner = _Planner(view, backoffs)
    for node, decision in view.decisions.items():
        planner.plan_node(node, decision)
    for node, pods in view.pods.items():
        if node not in view.decisions:
            # The node does not exist. Delete only its unbound pods, whose affinity requires this node: the pod garbage
            # collector deletes the bound ones.
            planner.plan.surplus += [pod for pod in pods if not node_of(pod)]
    return planner.plan


def surge_count(daemon_set: Document, nodes: int) -> int:
    """Return the number of nodes on which a rolling update may run an old and a new pod at once (``maxSurge``)."""
    return scaled_value(_rolling_update(daemon_set).get("maxSurge"), nodes, round_up=True)


def unavailable_count(daemon_set: Document, nodes: int) -> int:
    """Return the number of nodes that may lack an available pod during a rolling update (``maxUnavailable``)."""
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
        """Add to the plan the pods of the DaemonSet that must be created or deleted on one node.

        `decision` says whether the DaemonSet may create a pod on the node, and keep existing ones.
        """
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
        """Return True if a pod is in the phase Succeeded or Failed, and plan its deletion.

        The deletion of a failed pod is planned only if its back-off has expired.
        """
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
        """Plan the deletion of surplus pods on one node, if a rolling update creates new pods beside old ones.

        `running` are the DaemonSet's pods on the node, sorted by `age_order`. Of the pods with the present template,
        only the first is kept. Of the old pods, the first is kept as long as it is ready and the new pod is not
        available.
        """
        new: list[StoredObject] = []
        old: list[StoredObject] = []
        for pod in running:
            (new if pod.labels.get(REVISION_HASH, "") == self._view.revision else old).append(pod)
        self.plan.surplus += new[1:] + old[1:]
        if new and old and (not is_ready(old[0]) or self._view.is_available(new[0])):
            self.plan.surplus.append(old[0])
