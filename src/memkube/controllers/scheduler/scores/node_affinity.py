"""Nodes that the pod would rather have (``plugins/nodeaffinity``)."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.scheduler.framework import Score, Situation
from memkube.controllers.scheduler.node_affinity import preferred_terms
from memkube.controllers.scheduler.node_info import NodeInfo


def _score(situation: Situation, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    terms = preferred_terms(situation.pod.spec)
    if not terms:
        return None
    sums = [sum(weight for term, weight in terms if term.matches(node.name, node.facts.labels)) for node in nodes]
    most = max(sums)
    return [100 * number // most for number in sums] if most else None


SCORE: Final = Score(2, _score)
