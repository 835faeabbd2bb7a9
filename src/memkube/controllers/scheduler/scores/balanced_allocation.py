"""Nodes whose resources would be used more evenly (``plugins/noderesources/balanced_allocation.go``)."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.scheduler.framework import Score, Situation
from memkube.controllers.scheduler.node_info import NodeInfo


def _score(situation: Situation, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    wanted = situation.pod.requests.resources
    cpu, memory = wanted.cpu, wanted.memory
    if not cpu and not memory:
        return None
    scores = []
    for node in nodes:
        if node.balance is None:
            node.balance = _balance(node, 0, 0)
        scores.append(50 + (50 + _balance(node, cpu, memory) - node.balance) // 2)
    return scores


def _balance(node: NodeInfo, cpu: int, memory: int) -> int:
    """How evenly a node's resources are used once a pod takes so much more: 100 where their shares are equal."""
    allocatable, requested = node.facts.allocatable, node.requested
    if not allocatable.cpu or not allocatable.memory:
        return 100
    of_cpu = (requested.cpu + cpu) / allocatable.cpu
    of_memory = (requested.memory + memory) / allocatable.memory
    return int((1 - abs(min(of_cpu, 1.0) - min(of_memory, 1.0)) / 2) * 100)


SCORE: Final = Score(1, _score)
