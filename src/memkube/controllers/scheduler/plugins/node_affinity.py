"""The scheduler plugin NodeAffinity: node affinity and node selectors (``plugins/nodeaffinity``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from memkube.apimachinery.field_errors import aggregate_message
from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.framework import (
    FilterPlugin,
    Impossible,
    PluginError,
    PreparedFilter,
    Rejection,
    SchedulingContext,
    ScorePlugin,
)
from memkube.controllers.scheduler.node_info import NodeChange, NodeInfo
from memkube.controllers.scheduler.node_term import NODE_NAME, NodeTerm
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import Labels

NAME: Final = "NodeAffinity"
_REJECTION: Final = Rejection(NAME, ("node(s) didn't match Pod's node affinity/selector",), resolvable=False)


class RequiredNodeAffinity:
    """The node selector and required node affinity of a pod."""

    def __init__(self, spec: Document) -> None:
        self._selector: Mapping[str, str] = spec.get("nodeSelector") or {}
        terms = _required_terms(spec)
        self._terms = None if terms is None else [NodeTerm(term) for term in terms]
        self.names = _required_node_names(terms)
        """Names of the only nodes that can match, if every term names nodes; otherwise None."""

    @property
    def asks_nothing(self) -> bool:
        """True if the pod accepts every node: it has neither a node selector nor required node affinity."""
        return self._terms is None and not self._selector

    def matches(self, name: str, labels: Labels) -> bool:
        """True if the pod's node selector and required node affinity match a node with this name and these labels."""
        for key, value in self._selector.items():
            if labels.get(key) != value:
                return False
        return self._terms is None or any(term.matches(name, labels) for term in self._terms)


def preferred_terms(spec: Document) -> list[tuple[NodeTerm, int]]:
    """Return the preferred node affinity terms of a pod, with their weights."""
    preferred = _node_affinity(spec).get("preferredDuringSchedulingIgnoredDuringExecution") or ()
    return [(NodeTerm(wish["preference"]), wish["weight"]) for wish in preferred]


def _required_terms(spec: Document) -> list[dict[str, Any]] | None:
    required = _node_affinity(spec).get("requiredDuringSchedulingIgnoredDuringExecution")
    return None if required is None else required.get("nodeSelectorTerms") or []


def _node_affinity(spec: Document) -> dict[str, Any]:
    return (spec.get("affinity") or {}).get("nodeAffinity") or {}


def _required_node_names(terms: Iterable[Document] | None) -> frozenset[str] | None:
    names: frozenset[str] = frozenset()
    for term in terms or ():
        fields = term.get("matchFields") or ()
        given = [frozenset(f["values"]) for f in fields if f["key"] == NODE_NAME and f["operator"] == "In"]
        if not given:
            return None
        names |= frozenset.intersection(*given)
    return names if terms else None


def node_change_helps(pod: PodInfo, change: NodeChange) -> bool:
    """True if the pod's node selector and node affinity match a node after this change, but not before it."""
    affinity = RequiredNodeAffinity(pod.spec)
    if change.new is None or not affinity.matches(change.name, change.new.labels):
        return False
    return change.old is None or not affinity.matches(change.name, change.old.labels)


class _Affinity(PreparedFilter):
    def __init__(self, affinity: RequiredNodeAffinity) -> None:
        self._affinity = affinity
        self.only_nodes = affinity.names

    def rejects(self, node: NodeInfo) -> Rejection | None:
        return None if self._affinity.matches(node.name, node.facts.labels) else _REJECTION


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    affinity = RequiredNodeAffinity(context.pod.spec)
    if affinity.asks_nothing:
        return None
    if affinity.names is not None and not affinity.names:
        raise Impossible(NAME, "pod affinity terms conflict")
    return _Affinity(affinity)


RULE: Final = FilterPlugin(NAME, _prepare)


def _score(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    terms = preferred_terms(context.pod.spec)
    if not terms:
        return None
    errors = [
        error._replace(field=f"[{index}].{error.field}")
        for index, (term, _) in enumerate(terms)
        for error in term.errors
    ]
    if errors:
        raise PluginError(f'running PreScore plugin "{NAME}": {aggregate_message(errors)}')
    sums = [sum(weight for term, weight in terms if term.matches(node.name, node.facts.labels)) for node in nodes]
    most = max(sums)
    return [100 * number // most for number in sums] if most else None


SCORE: Final = ScorePlugin(NAME, 2, _score)
