"""The choice of a node for one pod (``schedule_one.go``: schedulePod, prioritizeNodes)."""

from collections.abc import Sequence
from typing import NamedTuple

from memkube.controllers.scheduler.filtering import Filtering, FitError
from memkube.controllers.scheduler.framework import Impossible, Rejection, SchedulingContext
from memkube.controllers.scheduler.node_info import NodeInfo


def best_node(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> NodeInfo:
    """Return the node of `nodes` with the highest total score of the plugins for the pod of `context`.

    Of several nodes with this score, return the one with the fewest pods, or else the first by name. kube-scheduler
    chooses among them at random, which would make tests differ between runs.
    """
    if len(nodes) == 1:
        return nodes[0]
    totals = [0] * len(nodes)
    for _, weight, score in context.profile.scores:
        scores = score(context, nodes)
        if scores is not None:
            totals = [total + weight * one for total, one in zip(totals, scores, strict=True)]
    return best_of(nodes, totals)


def best_of(nodes: Sequence[NodeInfo], totals: Sequence[int]) -> NodeInfo:
    """Return the node with the highest total score. `totals` has the total score of each node, in the order of `nodes`.

    Of several nodes with this score, return the one with the fewest pods, or else the first by name.
    """
    best = max(totals)
    candidates = [node for node, total in zip(nodes, totals, strict=True) if total == best]
    return min(candidates, key=lambda node: (len(node.pods), node.name))


class Unschedulable(Exception):
    """Raised if a pod fits on no node at present."""

    def __init__(self, fit_error: FitError, filtering: Filtering | None) -> None:
        super().__init__()
        self.fit_error = fit_error
        self.filtering = filtering
        """The filters that rejected nodes; None if no node was examined."""


class Decision(NamedTuple):
    """The node that was chosen for a pod, and the node at which the search for the next pod starts."""

    node: str
    next_start: int
    """Index of the node at which the search for the next pod starts."""


def decide(context: SchedulingContext, start: int) -> Decision:
    """Choose a node for a pod: its nominated node if it fits there, or else the node with the highest score.

    `context` has the pod and the cached nodes. `start` is the index of the node at which the search begins. Raises
    Unschedulable if the pod fits on no node, and PluginError if a plugin cannot decide that.
    """
    cluster, pod = context.cluster, context.pod
    number = len(cluster.nodes)
    if not number:
        raise Unschedulable(FitError(0), None)
    try:
        filtering = Filtering(context)
    except Impossible as error:
        rejection = Rejection(error.rule, (error.message,), resolvable=False)
        raise Unschedulable(FitError(number, impossible=rejection), None) from None
    promised = cluster.node(cluster.nominations.node_of(pod.uid))
    if promised is not None and filtering.rejects(promised) is None:
        return Decision(promised.name, start)
    fitting, fit_error, next_start = filtering.find(start)
    if not fitting:
        raise Unschedulable(fit_error, filtering)
    return Decision(best_node(context, fitting).name, next_start)
