"""Selectors of pods, and pod affinity terms, as the scheduler uses them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from memkube.apimachinery import labels
from memkube.apimachinery.labels import LabelSelector, Requirement
from memkube.apimachinery.labels.selector import Predicate
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.model import Document

Labels: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Selector:
    """A label selector. It equals other selectors with the same requirements.

    If `requirements` is None, it selects nothing.
    """

    requirements: tuple[Requirement, ...] | None
    matches: Predicate = field(compare=False)

    @classmethod
    def of(cls, document: Document | None) -> "Selector":
        """Parse a label selector from JSON data. A missing or invalid selector selects nothing."""
        if document is None:
            return _NOTHING
        try:
            selector = labels.from_model(LabelSelectorModel.from_document(document))
        except ValueError:
            return _NOTHING
        return cls(selector.requirements, selector.matches)

    @classmethod
    def requiring(cls, requirements: tuple[Requirement, ...]) -> "Selector":
        """Return a selector that selects objects whose labels meet all `requirements`."""
        return cls(requirements, LabelSelector(requirements).matches)

    @property
    def is_everything(self) -> bool:
        """True if the selector has no requirements, so that it selects everything."""
        return self.requirements == ()

    def and_labels(self, values: Labels) -> "Selector":
        """Return a selector for the pods that this one selects and that have all labels in `values`."""
        if self.requirements is None or not values:
            return self
        more = [Requirement(key, "=", (value,)) for key, value in values.items()]
        return Selector.requiring((*self.requirements, *more))


_NOTHING = Selector(None, LabelSelector.nothing().matches)


@dataclass(frozen=True, slots=True)
class PodSelector:
    """Selector of pods by namespace, labels and state.

    If `namespaces` is None, the selector selects pods in all namespaces. If `living` is True, it selects no terminating
    pods.
    """

    namespaces: frozenset[str] | None
    selectors: tuple[Selector, ...]
    """Label selectors, all of which must match a pod."""
    living: bool = False

    def matches(self, namespace: str, pod_labels: Labels, *, terminating: bool) -> bool:
        """True if the selector selects a pod of this namespace with these labels.

        `terminating` is True if the pod is being deleted.
        """
        if terminating and self.living:
            return False
        if self.namespaces is not None and namespace not in self.namespaces:
            return False
        return all(selector.matches(pod_labels) for selector in self.selectors)


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """A pod affinity term: a selector of pods, and a topology key. Equal terms of different pods share one object."""

    topology_key: str
    namespaces: frozenset[str]
    namespace_selector: Selector
    selector: Selector

    def matches(self, namespace: str, namespace_labels: Labels, labels: Labels) -> bool:
        """True if the affinity term selects a pod with these labels in this namespace."""
        if namespace in self.namespaces or self.namespace_selector.matches(namespace_labels):
            return self.selector.matches(labels)
        return False


class WeightedTerm(NamedTuple):
    """A preferred pod affinity or anti-affinity term, with its weight."""

    term: AffinityTerm
    weight: int


@dataclass(frozen=True, slots=True)
class AffinityTerms:
    """All pod affinity and anti-affinity terms of a pod."""

    affinity: tuple[AffinityTerm, ...] = ()
    """Required pod affinity terms."""
    anti_affinity: tuple[AffinityTerm, ...] = ()
    """Required pod anti-affinity terms."""
    preferred: tuple[WeightedTerm, ...] = ()
    """Preferred pod affinity and anti-affinity terms. The weights of anti-affinity terms are negative."""


NO_TERMS = AffinityTerms()


def affinity_terms(pod: Document) -> AffinityTerms:
    """Return the pod affinity and anti-affinity terms of a pod."""
    declared = pod["spec"].get("affinity") or {}
    affinity, anti_affinity = declared.get("podAffinity"), declared.get("podAntiAffinity")
    if not affinity and not anti_affinity:
        return NO_TERMS
    namespace = pod["metadata"]["namespace"]
    return AffinityTerms(
        tuple(_required(affinity, namespace)),
        tuple(_required(anti_affinity, namespace)),
        (*_preferred(affinity, namespace, 1), *_preferred(anti_affinity, namespace, -1)),
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
