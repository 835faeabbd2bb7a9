"""Nodes that have much left (``plugins/noderesources/least_allocated.go``)."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.scheduler.framework import Score, Situation
from memkube.controllers.scheduler.node_info import NodeInfo


def _score(situation: Situation, nodes: Sequence[NodeInfo]) -> Sequence[int]:
    _, cpu, memory = situation.pod.requests
    scores = []
    for node in nodes:
        allocatable = node.facts.allocatable
        sum_of_shares = resources = 0
        if allocatable.cpu:
            left = allocatable.cpu - node.compared_cpu - cpu
            sum_of_shares = left * 100 // allocatable.cpu if left > 0 else 0
            resources = 1
        if allocatable.memory:
            left = allocatable.memory - node.compared_memory - memory
            sum_of_shares += left * 100 // allocatable.memory if left > 0 else 0
            resources += 1
        scores.append(sum_of_shares // resources if resources else 0)
    return scores


SCORE: Final = Score(1, _score)
