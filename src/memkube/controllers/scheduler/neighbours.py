"""How many pods of which kind run where: what affinity and spreading are decided by.

Counts are kept up to date pod by pod. Many pods have the same labels and terms, so they are counted together, and
nothing is compared again for each of them.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import NO_TERMS, AffinityTerm, PodSelector

NodeCounts: TypeAlias = Mapping[str, int]
"""How many pods, by node; nodes without any are left out."""

_REMEMBERED: Final = 128


class TermCounts:
    """How many pods have a term, by node; `weight` keeps wishes of different strength apart."""

    def __init__(self) -> None:
        self._counts: dict[tuple[AffinityTerm, int], dict[str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def __iter__(self) -> Iterator[tuple[AffinityTerm, int, NodeCounts]]:
        return iter([(term, weight, counts) for (term, weight), counts in self._counts.items()])

    def count(self, term: AffinityTerm, weight: int, node: str, difference: int) -> None:
        """One pod more, or one less, has a term."""
        counts = self._counts.setdefault((term, weight), {})
        _count(counts, node, difference)
        if not counts:
            del self._counts[term, weight]


class Neighbours:
    """Counts the pods that have a node."""

    def __init__(self) -> None:
        self._pods: dict[str, tuple[PodInfo, str]] = {}
        self._counts: OrderedDict[PodSelector, dict[str, int]] = OrderedDict()
        self.far = TermCounts()
        """Required anti-affinity."""
        self.near = TermCounts()
        """Required affinity."""
        self.wishes = TermCounts()
        """Preferred affinity; what to be far from has a negative weight."""

    def add(self, pod: PodInfo, node: str) -> None:
        """Counts a pod."""
        self._pods[pod.uid] = pod, node
        self._change(pod, node, 1)

    def remove(self, pod: PodInfo, node: str) -> None:
        """Counts a pod no longer."""
        del self._pods[pod.uid]
        self._change(pod, node, -1)

    def count(self, selector: PodSelector) -> NodeCounts:
        """How many pods are selected, by node. To be used before anything changes."""
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
        for term in terms.far:
            self.far.count(term, 1, node, difference)
        for term in terms.near:
            self.near.count(term, 1, node, difference)
        for term, weight in terms.wishes:
            self.wishes.count(term, weight, node, difference)


def _count(counts: dict[str, int], node: str, difference: int) -> None:
    number = counts.get(node, 0) + difference
    if number:
        counts[node] = number
    else:
        counts.pop(node, None)
