"""Nodes without taints that the pod would rather not have (``plugins/tainttoleration``)."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.scheduler.framework import Score, Situation
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.tolerations import tolerates


def _score(situation: Situation, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    if not situation.cluster.avoided:
        return None
    tolerations = situation.pod.spec.get("tolerations")
    numbers = [sum(not tolerates(tolerations, taint) for taint in node.facts.avoided) for node in nodes]
    most = max(numbers)
    return [100 - 100 * number // most for number in numbers] if most else None


SCORE: Final = Score(3, _score)
