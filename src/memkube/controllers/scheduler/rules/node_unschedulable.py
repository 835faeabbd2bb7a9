"""Nodes that take no new pods (``plugins/nodeunschedulable``)."""

from typing import Final

from memkube.controllers.scheduler.framework import Check, Rejection, Rule, Situation
from memkube.controllers.scheduler.node_info import NodeInfo, Taint
from memkube.controllers.scheduler.tolerations import tolerates

NAME: Final = "NodeUnschedulable"
_TAINT: Final = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_REJECTION: Final = Rejection(NAME, ("node(s) were unschedulable",), resolvable=False)


class _Unschedulable(Check):
    def rejects(self, node: NodeInfo) -> Rejection | None:
        return _REJECTION if node.facts.unschedulable else None


def _prepare(situation: Situation) -> Check | None:
    if not situation.cluster.cordoned or tolerates(situation.pod.spec.get("tolerations"), _TAINT):
        return None
    return _Unschedulable()


RULE: Final = Rule(NAME, _prepare)
