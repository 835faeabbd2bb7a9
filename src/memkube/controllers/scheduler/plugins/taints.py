"""The scheduler plugins TaintToleration and NodeUnschedulable: taints and tolerations."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.framework import (
    FilterPlugin,
    PreparedFilter,
    Rejection,
    SchedulingContext,
    ScorePlugin,
)
from memkube.controllers.scheduler.node_info import NodeInfo, Taint

NAME: Final = "TaintToleration"
_REJECTION: Final = Rejection(NAME, ("node(s) had untolerated taint(s)",), resolvable=False)
UNSCHEDULABLE: Final = "NodeUnschedulable"
_UNSCHEDULABLE_TAINT: Final = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_IS_UNSCHEDULABLE: Final = Rejection(UNSCHEDULABLE, ("node(s) were unschedulable",), resolvable=False)


def tolerates(tolerations: Sequence[Document] | None, taint: Taint) -> bool:
    """True if one of the tolerations matches the taint.

    The operators Gt and Lt never match, because their feature is alpha.
    """
    return any(_tolerates(toleration, taint) for toleration in tolerations or ())


def _tolerates(toleration: Document, taint: Taint) -> bool:
    effect, key = toleration.get("effect"), toleration.get("key")
    if (effect and effect != taint.effect) or (key and key != taint.key):
        return False
    operator = toleration.get("operator") or "Equal"
    return operator == "Exists" or (operator == "Equal" and toleration.get("value", "") == taint.value)


class _Tolerations(PreparedFilter):
    def __init__(self, tolerations: Sequence[Document]) -> None:
        self._tolerations = tolerations

    def rejects(self, node: NodeInfo) -> Rejection | None:
        for taint in node.facts.taints:
            if not tolerates(self._tolerations, taint):
                return _REJECTION
        return None


def _prepare(situation: SchedulingContext) -> PreparedFilter | None:
    if not situation.cluster.tainted:
        return None
    return _Tolerations(situation.pod.spec.get("tolerations") or ())


RULE: Final = FilterPlugin(NAME, _prepare)


def _score(situation: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    if not situation.cluster.avoided:
        return None
    tolerations = situation.pod.spec.get("tolerations")
    numbers = [sum(not tolerates(tolerations, taint) for taint in node.facts.avoided) for node in nodes]
    most = max(numbers)
    return [100 - 100 * number // most for number in numbers] if most else None


SCORE: Final = ScorePlugin(NAME, 3, _score)


class _Unschedulable(PreparedFilter):
    def rejects(self, node: NodeInfo) -> Rejection | None:
        return _IS_UNSCHEDULABLE if node.facts.unschedulable else None


def _prepare_unschedulable(situation: SchedulingContext) -> PreparedFilter | None:
    if not situation.cluster.cordoned or tolerates(situation.pod.spec.get("tolerations"), _UNSCHEDULABLE_TAINT):
        return None
    return _Unschedulable()


UNSCHEDULABLE_RULE: Final = FilterPlugin(UNSCHEDULABLE, _prepare_unschedulable)
