"""From a pod to a node (``schedule_one.go``: schedulePod, prioritizeNodes)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.controllers.scheduler.filtering import Filtering, Misfit
from memkube.controllers.scheduler.framework import Impossible, Rejection, Score, Situation
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.plugins import (
    inter_pod_affinity,
    node_affinity,
    node_contents,
    resources,
    taints,
    topology_spread,
)

SCORES: Final[Sequence[Score]] = (
    taints.SCORE,
    node_affinity.SCORE,
    resources.LEAST_ALLOCATED,
    topology_spread.SCORE,
    inter_pod_affinity.SCORE,
    resources.BALANCED_ALLOCATION,
    node_contents.IMAGE_LOCALITY,
)


def best_node(situation: Situation, nodes: Sequence[NodeInfo]) -> NodeInfo:
    """The node with the highest score; of several, one with the fewest pods, and of those the first by name.

    The reference rolls dice there, which would make tests differ from run to run.
    """
    if len(nodes) == 1:
        return nodes[0]
    totals = [0] * len(nodes)
    for weight, score in SCORES:
        scores = score(situation, nodes)
        if scores is not None:
            totals = [total + weight * one for total, one in zip(totals, scores, strict=True)]
    best = max(totals)
    candidates = [node for node, total in zip(nodes, totals, strict=True) if total == best]
    return min(candidates, key=lambda node: (len(node.pods), node.name))


class Unschedulable(Exception):
    """A pod fits nowhere."""

    def __init__(self, misfit: Misfit, filtering: Filtering | None) -> None:
        super().__init__()
        self.misfit = misfit
        self.filtering = filtering
        """What rules nodes out; None where none came into question."""


class Decision(NamedTuple):
    """Where a pod is to run."""

    node: str
    next_start: int
    """Where the search for the next pod's node begins."""


def decide(situation: Situation, start: int) -> Decision:
    """The node for a pod; the one that it was promised comes first. Raises Unschedulable."""
    cluster, pod = situation.cluster, situation.pod
    number = len(cluster.nodes)
    if not number:
        raise Unschedulable(Misfit(0), None)
    try:
        filtering = Filtering(situation)
    except Impossible as error:
        rejection = Rejection(error.rule, (error.message,), resolvable=False)
        raise Unschedulable(Misfit(number, impossible=rejection), None) from None
    promised = cluster.node(cluster.nominations.node_of(pod.uid))
    if promised is not None and filtering.rejects(promised) is None:
        return Decision(promised.name, start)
    fitting, misfit, next_start = filtering.find(start)
    if not fitting:
        raise Unschedulable(misfit, filtering)
    return Decision(best_node(situation, fitting).name, next_start)
