"""Taints that the pod does not tolerate (``plugins/tainttoleration``)."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.framework import Check, Rejection, Rule, Situation
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.tolerations import tolerates

NAME: Final = "TaintToleration"
_REJECTION: Final = Rejection(NAME, ("node(s) had untolerated taint(s)",), resolvable=False)


class _Tolerations(Check):
    def __init__(self, tolerations: Sequence[Document]) -> None:
        self._tolerations = tolerations

    def rejects(self, node: NodeInfo) -> Rejection | None:
        for taint in node.facts.taints:
            if not tolerates(self._tolerations, taint):
                return _REJECTION
        return None


def _prepare(situation: Situation) -> Check | None:
    if not situation.cluster.tainted:
        return None
    return _Tolerations(situation.pod.spec.get("tolerations") or ())


RULE: Final = Rule(NAME, _prepare)
