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
from memkube.controllers.scheduler.node_info import NodeChange, NodeFacts, NodeInfo, PodChange, Taint
from memkube.controllers.scheduler.pod_info import PodInfo

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


def tolerates_all(tolerations: Sequence[Document] | None, node: NodeFacts) -> bool:
    """True if the tolerations match all taints of a node with the effects NoSchedule and NoExecute."""
    return all(tolerates(tolerations, taint) for taint in node.taints)


def node_change_helps(pod: PodInfo, change: NodeChange) -> bool:
    """True if a pod tolerates the taints of a node after this change, but not before it."""
    tolerations = pod.spec.get("tolerations")
    if change.new is None or not tolerates_all(tolerations, change.new):
        return False
    return change.old is None or not tolerates_all(tolerations, change.old)


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
        return None if tolerates_all(self._tolerations, node.facts) else _REJECTION


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    if not context.cluster.tainted:
        return None
    return _Tolerations(context.pod.spec.get("tolerations") or ())


RULE: Final = FilterPlugin(NAME, _prepare)


def _score(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    if not context.cluster.avoided:
        return None
    tolerations = context.pod.spec.get("tolerations")
    numbers = [sum(not tolerates(tolerations, taint) for taint in node.facts.avoided) for node in nodes]
    most = max(numbers)
    return [100 - 100 * number // most for number in numbers] if most else None


SCORE: Final = ScorePlugin(NAME, 3, _score)


def uncordoning_helps(_: PodInfo, change: NodeChange) -> bool:
    """True if a node was uncordoned, or added without being cordoned."""
    if change.new is None or change.new.unschedulable:
        return False
    return change.old is None or change.old.unschedulable


def tolerating_cordons_helps(pod: PodInfo, change: PodChange) -> bool:
    """True if a pod was changed and tolerates cordoned nodes now."""
    changed = change.new
    if changed is None or changed.uid != pod.uid:
        return False
    return tolerates(changed.spec.get("tolerations"), _UNSCHEDULABLE_TAINT)


class _Unschedulable(PreparedFilter):
    def rejects(self, node: NodeInfo) -> Rejection | None:
        return _IS_UNSCHEDULABLE if node.facts.unschedulable else None


def _prepare_unschedulable(context: SchedulingContext) -> PreparedFilter | None:
    if not context.cluster.cordoned or tolerates(context.pod.spec.get("tolerations"), _UNSCHEDULABLE_TAINT):
        return None
    return _Unschedulable()


UNSCHEDULABLE_RULE: Final = FilterPlugin(UNSCHEDULABLE, _prepare_unschedulable)
