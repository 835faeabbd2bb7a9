"""Which of the nodes that a pod fits on it is given (``schedule_one.go``: prioritizeNodes)."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.scheduler.framework import Score, Situation
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.scores import (
    balanced_allocation,
    image_locality,
    inter_pod_affinity,
    least_allocated,
    node_affinity,
    taints,
    topology_spread,
)

SCORES: Final[Sequence[Score]] = (
    taints.SCORE,
    node_affinity.SCORE,
    least_allocated.SCORE,
    topology_spread.SCORE,
    inter_pod_affinity.SCORE,
    balanced_allocation.SCORE,
    image_locality.SCORE,
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
