"""Places that have few pods of one kind (``plugins/podtopologyspread/scoring.go``)."""

from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

from memkube.controllers.scheduler.framework import Score, Situation
from memkube.controllers.scheduler.neighbours import NodeCounts
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.spread_constraints import (
    HOSTNAME,
    Inclusion,
    SpreadConstraint,
    constraints_of,
    default_constraints,
    has_all_keys,
)


class _Places(NamedTuple):
    """How many pods are where, for one constraint."""

    constraint: SpreadConstraint
    by_node: NodeCounts
    by_place: dict[str, int]
    weight: float
    """Greater where there are many places, so that those with few do not outweigh them."""

    def crowding(self, node: NodeInfo) -> float:
        key = self.constraint.topology_key
        place = node.facts.labels.get(key)
        if place is None:
            return 0
        pods = self.by_node.get(node.name, 0) if key == HOSTNAME else self.by_place[place]
        return pods * self.weight + self.constraint.max_skew - 1


def _score(situation: Situation, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    pod = situation.pod
    own = bool(pod.spec.get("topologySpreadConstraints"))
    constraints = constraints_of(pod, "ScheduleAnyway") if own else default_constraints(situation)
    if not constraints:
        return None
    scored = [node for node in nodes if not own or has_all_keys(node, constraints)]
    everything = [n for n in situation.cluster.nodes if not own or has_all_keys(n, constraints)]
    inclusion = Inclusion(pod)
    places = [_count(situation, constraint, scored, everything, inclusion) for constraint in constraints]
    crowding = {node.name: int(sum(one.crowding(node) for one in places) + 0.5) for node in scored}
    return _normalized(crowding, nodes)


def _count(
    situation: Situation,
    constraint: SpreadConstraint,
    scored: Sequence[NodeInfo],
    everything: Sequence[NodeInfo],
    inclusion: Inclusion,
) -> _Places:
    key, by_node = constraint.topology_key, constraint.counts(situation)
    if key == HOSTNAME:
        return _Places(constraint, by_node, {}, log(len(scored) + 2))
    by_place = {node.facts.labels.get(key, ""): 0 for node in scored}
    for node in everything:
        place = node.facts.labels.get(key, "")
        if place in by_place and inclusion.includes(node, constraint):
            by_place[place] += by_node.get(node.name, 0)
    return _Places(constraint, by_node, by_place, log(len(by_place) + 2))


def _normalized(crowding: dict[str, int], nodes: Sequence[NodeInfo]) -> list[int]:
    """Few pods make a high score; nodes that are in no place have none."""
    if not crowding:
        return [0] * len(nodes)
    most, least = max(crowding.values()), min(crowding.values())
    if not most:
        return [100 if node.name in crowding else 0 for node in nodes]
    return [100 * (most + least - crowding[node.name]) // most if node.name in crowding else 0 for node in nodes]


SCORE: Final = Score(2, _score)
