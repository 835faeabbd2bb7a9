"""What pods ask of the neighbourhood of other pods."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.pod_selector import Labels, Selector


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """Pods to be near to or far from, and what near means. Equal terms of different pods are the same term."""

    topology_key: str
    namespaces: frozenset[str]
    namespace_selector: Selector
    selector: Selector

    def matches(self, namespace: str, namespace_labels: Labels, labels: Labels) -> bool:
        """Whether it is about a pod."""
        if namespace in self.namespaces or self.namespace_selector.matches(namespace_labels):
            return self.selector.matches(labels)
        return False


class WeightedTerm(NamedTuple):
    """A term that is a wish."""

    term: AffinityTerm
    weight: int


@dataclass(frozen=True, slots=True)
class AffinityTerms:
    """All terms of a pod."""

    near: tuple[AffinityTerm, ...] = ()
    """Required."""
    far: tuple[AffinityTerm, ...] = ()
    """Required."""
    wishes: tuple[WeightedTerm, ...] = ()
    """Preferred; what to be far from has a negative weight."""


NO_TERMS = AffinityTerms()


def affinity_terms(pod: Document) -> AffinityTerms:
    """The terms of a pod in its stored form."""
    affinity = pod["spec"].get("affinity") or {}
    near, far = affinity.get("podAffinity"), affinity.get("podAntiAffinity")
    if not near and not far:
        return NO_TERMS
    namespace = pod["metadata"]["namespace"]
    return AffinityTerms(
        tuple(_required(near, namespace)),
        tuple(_required(far, namespace)),
        (*_preferred(near, namespace, 1), *_preferred(far, namespace, -1)),
    )


def _required(affinity: dict[str, Any] | None, namespace: str) -> Iterator[AffinityTerm]:
    for term in (affinity or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or ():
        yield _term(term, namespace)


def _preferred(affinity: dict[str, Any] | None, namespace: str, sign: int) -> Iterator[WeightedTerm]:
    for wish in (affinity or {}).get("preferredDuringSchedulingIgnoredDuringExecution") or ():
        yield WeightedTerm(_term(wish["podAffinityTerm"], namespace), sign * wish["weight"])


def _term(term: Document, namespace: str) -> AffinityTerm:
    names, namespace_selector = term.get("namespaces"), term.get("namespaceSelector")
    if not names and namespace_selector is None:
        names = [namespace]
    return AffinityTerm(
        term["topologyKey"],
        frozenset(names or ()),
        Selector.of(namespace_selector),
        Selector.of(term.get("labelSelector")),
    )
