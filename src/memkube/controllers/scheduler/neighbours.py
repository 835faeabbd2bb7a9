"""Counts of the pods on each node, for pod affinity and topology spread.

The counts are kept, and updated whenever a pod is added or removed, so that a selector that the scheduler uses again
need not be matched with all pods again.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import NO_TERMS, AffinityTerm, PodSelector

NodeCounts: TypeAlias = Mapping[str, int]
"""Number of pods on each node, by its name. Nodes without pods are left out."""

_REMEMBERED: Final = 128


class TermCounts:
    """For each affinity term and its weight: how many pods with this term run on each node."""

    def __init__(self) -> None:
        self._counts: dict[tuple[AffinityTerm, int], dict[str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def __iter__(self) -> Iterator[tuple[AffinityTerm, int, NodeCounts]]:
        return iter([(term, weight, counts) for (term, weight), counts in self._counts.items()])

    def count(self, term: AffinityTerm, weight: int, node: str, difference: int) -> None:
        """Add `difference` (1 or -1) to the number of pods on `node` that have the affinity term with this weight."""
        counts = self._counts.setdefault((term, weight), {})
        _count(counts, node, difference)
        if not counts:
            del self._counts[term, weight]


class Neighbours:
    """Numbers of pods on each node: those that have a certain affinity term, and those that a selector matches."""

    def __init__(self) -> None:
        self._pods: dict[str, tuple[PodInfo, str]] = {}
        self._counts: OrderedDict[PodSelector, dict[str, int]] = OrderedDict()
        self.anti_affinity = TermCounts()
        """Counts of pods with required anti-affinity, by the affinity term."""
        self.affinity = TermCounts()
        """Counts of pods with required affinity, by the affinity term."""
        self.preferred = TermCounts()
        """Counts of pods with preferred affinity or anti-affinity, by the term. Anti-affinity has a negative weight."""

    def add(self, pod: PodInfo, node: str) -> None:
        """Count a pod on a node, for each of its affinity terms and for each selector that matches it."""
        self._pods[pod.uid] = pod, node
        self._change(pod, node, 1)

    def remove(self, pod: PodInfo, node: str) -> None:
        """Stop counting a pod on a node, which was counted by `add`."""
        del self._pods[pod.uid]
        self._change(pod, node, -1)

    def count(self, selector: PodSelector) -> NodeCounts:
        """Return the number of pods on each node that match a selector. The result is valid until the pods change."""
        counts = self._counts.get(selector)
        if counts is None:
            counts = self._counts[selector] = {}
            for pod, node in self._pods.values():
                if selector.matches(pod.namespace, pod.labels, terminating=pod.terminating):
                    _count(counts, node, 1)
            if len(self._counts) > _REMEMBERED:
                self._counts.popitem(last=False)
        else:
            self._counts.move_to_end(selector)
        return counts

    def _change(self, pod: PodInfo, node: str, difference: int) -> None:
        for selector, counts in self._counts.items():
            if selector.matches(pod.namespace, pod.labels, terminating=pod.terminating):
                _count(counts, node, difference)
        terms = pod.terms
        if terms is NO_TERMS:
            return
        for term in terms.anti_affinity:
            self.anti_affinity.count(term, 1, node, difference)
        for term in terms.affinity:
            self.affinity.count(term, 1, node, difference)
        for term, weight in terms.preferred:
            self.preferred.count(term, weight, node, difference)


def _count(counts: dict[str, int], node: str, difference: int) -> None:
    number = counts.get(node, 0) + difference
    if number:
        counts[node] = number
    else:
        counts.pop(node, None)
