"""Neighbours that a pod would like or dislike, or that would like or dislike it (``plugins/interpodaffinity``)."""

from collections.abc import Iterator, Sequence
from typing import Final

from memkube.controllers.scheduler.affinity_selectors import pods_of_term
from memkube.controllers.scheduler.affinity_terms import AffinityTerm
from memkube.controllers.scheduler.framework import Score, Situation
from memkube.controllers.scheduler.neighbours import NodeCounts
from memkube.controllers.scheduler.node_info import NodeInfo

_OF_REQUIRED: Final = 1
"""What it weighs that a pod there requires the new one to be near."""


def _score(situation: Situation, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    neighbours = situation.cluster.neighbours
    if not situation.pod.terms.wishes and not neighbours.near and not neighbours.wishes:
        return None
    liking: dict[tuple[str, str], int] = {}
    for term, weight, counts in _matching(situation):
        for name, number in counts.items():
            there = situation.cluster.node(name)
            place = None if there is None else there.facts.labels.get(term.topology_key)
            if place is not None:
                pair = term.topology_key, place
                liking[pair] = liking.get(pair, 0) + weight * number
    if not liking:
        return None
    keys = {key for key, _ in liking}
    sums = [sum(liking.get((key, node.facts.labels.get(key, "")), 0) for key in keys) for node in nodes]
    most, least = max(sums), min(sums)
    return [int(100 * ((one - least) / (most - least))) for one in sums] if most > least else None


def _matching(situation: Situation) -> Iterator[tuple[AffinityTerm, int, NodeCounts]]:
    """Terms with weights, and where there are pods that have to do with them."""
    pod, cluster, surroundings = situation
    labels = surroundings.namespace_labels(pod.namespace)
    for term, weight in pod.terms.wishes:
        yield term, weight, cluster.neighbours.count(pods_of_term(term, surroundings))
    for term, _, counts in cluster.neighbours.near:
        if term.matches(pod.namespace, labels, pod.labels):
            yield term, _OF_REQUIRED, counts
    for term, weight, counts in cluster.neighbours.wishes:
        if term.matches(pod.namespace, labels, pod.labels):
            yield term, weight, counts


SCORE: Final = Score(2, _score)
