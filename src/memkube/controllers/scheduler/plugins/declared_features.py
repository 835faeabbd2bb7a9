"""The scheduler plugin NodeDeclaredFeatures: features that pods need of nodes (``plugins/nodedeclaredfeatures``)."""

from collections.abc import Iterator
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.framework import FilterPlugin, PreparedFilter, Rejection, SchedulingContext
from memkube.controllers.scheduler.node_info import NodeInfo

NAME: Final = "NodeDeclaredFeatures"
_REJECTION: Final = Rejection(NAME, ("node(s) didn't match Pod's required features",), resolvable=False)


class _Features(PreparedFilter):
    def __init__(self, needed: frozenset[str]) -> None:
        self._needed = needed

    def rejects(self, node: NodeInfo) -> Rejection | None:
        return None if self._needed <= node.facts.features else _REJECTION


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    needed = frozenset(needed_features(context.pod.spec))
    return _Features(needed) if needed else None


def needed_features(spec: Document) -> Iterator[str]:
    """Yield the features that a pod with this spec needs of its node."""
    containers = (*spec["containers"], *(spec.get("initContainers") or ()))
    rules = (rule for container in containers for rule in container.get("restartPolicyRules") or ())
    if any(rule["action"] == "RestartAllContainers" for rule in rules):
        yield "RestartAllContainersOnContainerExits"
    if spec.get("hostNetwork") and spec.get("hostUsers") is False:
        yield "UserNamespacesHostNetworkSupport"


RULE: Final = FilterPlugin(NAME, _prepare)
