"""Ports of the node that other pods have taken (``plugins/nodeports``)."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.scheduler.framework import Check, Rejection, Rule, Situation
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import HostPort

NAME: Final = "NodePorts"
_REJECTION: Final = Rejection(NAME, ("node(s) didn't have free ports for the requested pod ports",), resolvable=True)


class _Ports(Check):
    def __init__(self, wanted: Sequence[HostPort]) -> None:
        self._wanted = wanted

    def rejects(self, node: NodeInfo) -> Rejection | None:
        return _REJECTION if any(node.is_taken(port) for port in self._wanted) else None


def _prepare(situation: Situation) -> Check | None:
    return _Ports(situation.pod.host_ports) if situation.pod.host_ports else None


RULE: Final = Rule(NAME, _prepare)
