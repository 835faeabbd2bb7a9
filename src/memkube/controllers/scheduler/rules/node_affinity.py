"""Nodes that the pod does not ask for (``plugins/nodeaffinity``)."""

from typing import Final

from memkube.controllers.scheduler.framework import Check, Impossible, Rejection, Rule, Situation
from memkube.controllers.scheduler.node_affinity import RequiredNodeAffinity
from memkube.controllers.scheduler.node_info import NodeInfo

NAME: Final = "NodeAffinity"
_REJECTION: Final = Rejection(NAME, ("node(s) didn't match Pod's node affinity/selector",), resolvable=False)


class _Affinity(Check):
    def __init__(self, affinity: RequiredNodeAffinity) -> None:
        self._affinity = affinity
        self.only_nodes = affinity.names

    def rejects(self, node: NodeInfo) -> Rejection | None:
        return None if self._affinity.matches(node) else _REJECTION


def _prepare(situation: Situation) -> Check | None:
    affinity = RequiredNodeAffinity(situation.pod.spec)
    if affinity.asks_nothing:
        return None
    if affinity.names is not None and not affinity.names:
        raise Impossible(NAME, "pod affinity terms conflict")
    return _Affinity(affinity)


RULE: Final = Rule(NAME, _prepare)
