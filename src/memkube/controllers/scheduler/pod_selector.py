"""Which pods an affinity term or a spread constraint is about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from memkube.apimachinery import labels
from memkube.apimachinery.labels import LabelSelector, Requirement
from memkube.apimachinery.labels.selector import Predicate
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.model import Document

Labels: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Selector:
    """A label selector that equals others with the same requirements. Without any (None) it selects nothing."""

    requirements: tuple[Requirement, ...] | None
    matches: Predicate = field(compare=False)

    @classmethod
    def of(cls, document: Document | None) -> "Selector":
        """The selector of a document; none, or one that cannot be read, selects nothing."""
        if document is None:
            return _NOTHING
        try:
            selector = labels.from_model(LabelSelectorModel.from_document(document))
        except ValueError:
            return _NOTHING
        return cls(selector.requirements, selector.matches)

    @classmethod
    def requiring(cls, requirements: tuple[Requirement, ...]) -> "Selector":
        """The selector with these requirements."""
        return cls(requirements, LabelSelector(requirements).matches)

    @property
    def is_everything(self) -> bool:
        """Whether it selects whatever there is."""
        return self.requirements == ()

    def and_labels(self, values: Labels) -> "Selector":
        """Selects what has these labels, too."""
        if self.requirements is None or not values:
            return self
        more = [Requirement(key, "=", (value,)) for key, value in values.items()]
        return Selector.requiring((*self.requirements, *more))


_NOTHING = Selector(None, LabelSelector.nothing().matches)


@dataclass(frozen=True, slots=True)
class PodSelector:
    """Pods of some namespaces (None: of any) by their labels; those that terminate may be left out."""

    namespaces: frozenset[str] | None
    selectors: tuple[Selector, ...]
    """All of them must match."""
    living: bool = False

    def matches(self, namespace: str, pod_labels: Labels, *, terminating: bool) -> bool:
        """Whether a pod is selected."""
        if terminating and self.living:
            return False
        if self.namespaces is not None and namespace not in self.namespaces:
            return False
        return all(selector.matches(pod_labels) for selector in self.selectors)
