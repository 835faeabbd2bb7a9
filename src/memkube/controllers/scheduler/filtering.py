"""Finds the nodes on which a pod fits, with the filter plugins (``schedule_one.go``: findNodesThatFitPod)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memkube.controllers.scheduler.framework import PreparedFilter, Rejection, SchedulingContext
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.plugins import dynamic_resources, node_affinity

NO_STATE: Final = "not found"
NO_NODES: Final = "no nodes available to schedule pods"
_ENOUGH_TO_LOOK_AT_ALL: Final = 100


@dataclass(slots=True)
class FitError:
    """Reasons why a pod fits on no node, for the message of the Event FailedScheduling."""

    number_of_nodes: int
    rejections: Mapping[str, Rejection] = field(default_factory=dict)
    """Rejection of each node by a filter plugin, by the name of the node."""
    others: Rejection | None = None
    """Reason for which all nodes that are missing in `rejections` were rejected; None if there are no such nodes."""
    impossible: Rejection | None = None
    """Reason for which the pod can fit on no node, found before any node was examined; otherwise None."""

    @property
    def has_state_of_devices(self) -> bool:
        """True if the plugin DynamicResources ran, and so has written its state about the pod.

        It does not run if another plugin finds first that the pod can fit on no node. kube-scheduler's preemption needs
        this state. Without it, preemption fails with a message that ends with "not found".
        """
        return self.impossible is None or self.impossible.rule == dynamic_resources.NAME

    @property
    def rejected_by(self) -> frozenset[str]:
        """Names of the plugins that rejected nodes or the pod."""
        if not self.number_of_nodes:
            return frozenset({NO_NODES})
        all_of_them = [*self.rejections.values(), self.others, self.impossible]
        return frozenset(rejection.rule for rejection in all_of_them if rejection is not None)

    def message(self, afterwards: str = "") -> str:
        """Return the message of the Event FailedScheduling. It ends with `afterwards`, the result of preemption."""
        if not self.number_of_nodes:
            return NO_NODES
        parts = [f"0/{self.number_of_nodes} nodes are available:"]
        if self.impossible is not None:
            parts.append(f"{', '.join(self.impossible.reasons)}.")
        elif reasons := self._reasons():
            parts.append(f"{', '.join(reasons)}.")
        if afterwards:
            parts.append(afterwards)
        return " ".join(parts)

    def _reasons(self) -> list[str]:
        numbers = Counter(reason for rejection in self.rejections.values() for reason in rejection.reasons)
        if self.others is not None and len(self.rejections) < self.number_of_nodes:
            for reason in self.others.reasons:
                numbers[reason] += self.number_of_nodes - len(self.rejections)
        return sorted(f"{number} {reason}" for reason, number in numbers.items())


class Filtering:
    """The filter plugins, prepared for one pod.

    The constructor raises Impossible if the pod can fit on no node.
    """

    def __init__(self, context: SchedulingContext, checks: Sequence[PreparedFilter] | None = None) -> None:
        self._context = context
        if checks is None:
            prepared = [rule.prepare(context) for rule in context.profile.rules]
            checks = [check for check in prepared if check is not None]
        self.checks = checks

    def copy(self) -> "Filtering":
        """Return a copy of the filter plugins, to simulate the addition or removal of pods.

        The counts of the original do not change.
        """
        return Filtering(self._context, [check.copy() for check in self.checks])

    def rejects(self, node: NodeInfo) -> Rejection | None:
        """Return why the pod does not fit on a node; None if it fits.

        The pod must fit both with and without the pods that are nominated to the node.
        """
        if self._context.cluster.nominations:
            rejection = self._rejects_with_nominated(node)
            if rejection is not None:
                return rejection
        for check in self.checks:
            rejection = check.rejects(node)
            if rejection is not None:
                return rejection
        return None

    def find(self, start: int) -> tuple[list[NodeInfo], FitError, int]:
        """Find nodes on which the pod fits.

        Returns the nodes, the reasons why other nodes were rejected, and the `start` for the search of the next pod,
        which continues after the last examined node. In a large cluster the search begins at the node with the index
        `start` (modulo the number of nodes), and ends when it has found enough nodes.
        """
        everything = self._context.cluster.nodes
        only = next((check.only_nodes for check in self.checks if check.only_nodes is not None), None)
        nodes = everything if only is None else [node for node in everything if node.name in only]
        enough = number_to_find(len(nodes))
        fitting: list[NodeInfo] = []
        rejections: dict[str, Rejection] = {}
        offset = start % len(nodes) if enough < len(nodes) else 0
        for node in (*nodes[offset:], *nodes[:offset]) if offset else nodes:
            rejection = self.rejects(node)
            if rejection is not None:
                rejections[node.name] = rejection
                continue
            fitting.append(node)
            if len(fitting) == enough:
                break
        not_looked_at = None if only is None else _ONLY_NAMED
        fit_error = FitError(len(everything), rejections, not_looked_at)
        return fitting, fit_error, start + len(fitting) + len(rejections)

    def _rejects_with_nominated(self, node: NodeInfo) -> Rejection | None:
        pod = self._context.pod
        waiting = [
            other
            for other in self._context.cluster.nominations.on(node.name)
            if other.priority >= pod.priority and other.uid != pod.uid
        ]
        if not waiting:
            return None
        supposed, checks = node.copy(), [check.copy() for check in self.checks]
        for other in waiting:
            supposed.add(other)
            for check in checks:
                check.pod_added(other, supposed)
        return next((r for check in checks if (r := check.rejects(supposed)) is not None), None)


_ONLY_NAMED: Final = Rejection(
    node_affinity.NAME, (f"node(s) didn't satisfy plugin(s) [{node_affinity.NAME}]",), resolvable=False
)


def number_to_find(nodes: int) -> int:
    """Return how many fitting nodes a search must find before it stops (``numFeasibleNodesToFind``).

    `nodes` is the number of nodes in the cluster.
    """
    if nodes < _ENOUGH_TO_LOOK_AT_ALL:
        return nodes
    percentage = max(50 - nodes // 125, 5)
    return max(nodes * percentage // 100, _ENOUGH_TO_LOOK_AT_ALL)
