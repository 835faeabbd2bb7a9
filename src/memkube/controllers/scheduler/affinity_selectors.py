"""Which pods the affinity terms of a pod are about, once namespaces are looked up."""

from collections.abc import Iterable

from memkube.controllers.scheduler.affinity_terms import AffinityTerm
from memkube.controllers.scheduler.pod_selector import PodSelector
from memkube.controllers.scheduler.surroundings import Surroundings


def pods_of_term(term: AffinityTerm, surroundings: Surroundings) -> PodSelector:
    """The pods that a term is about."""
    return PodSelector(_namespaces(term, surroundings), (term.selector,))


def pods_of_all(terms: Iterable[AffinityTerm], surroundings: Surroundings) -> PodSelector:
    """The pods that every one of several terms is about."""
    namespaces: frozenset[str] | None = None
    selectors = []
    for term in terms:
        names = _namespaces(term, surroundings)
        if names is not None:
            namespaces = names if namespaces is None else namespaces & names
        selectors.append(term.selector)
    return PodSelector(namespaces, tuple(selectors))


def _namespaces(term: AffinityTerm, surroundings: Surroundings) -> frozenset[str] | None:
    selector = term.namespace_selector
    if selector.is_everything:
        return None
    if selector.requirements is None:
        return term.namespaces
    return term.namespaces | {n.name for n in surroundings.namespaces if selector.matches(n.labels)}
