"""The two kinds that keep a number of pods, and where they differ."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery import labels
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.label_selector import LabelSelector as LabelSelectorModel
from memkube.apimachinery.model import Document
from memkube.controllers.informer import ResourceName


@dataclass(frozen=True, slots=True)
class ReplicatedKind:
    """A kind that keeps a number of pods."""

    resource: ResourceName
    kind: str
    component: str
    """In whose name events are written."""
    selector: Callable[[Document], LabelSelector]
    """Which pods an object of the kind selects. Raises ValueError."""
    counts_terminating: bool
    """Whether its status has a number of pods on their way out."""


def _by_selector(document: Document) -> LabelSelector:
    selector = document["spec"].get("selector")
    return labels.from_model(None if selector is None else LabelSelectorModel.from_document(selector))


def _by_labels(document: Document) -> LabelSelector:
    return labels.from_model(LabelSelectorModel(matchLabels=document["spec"].get("selector") or {}))


REPLICA_SETS: Final = ReplicatedKind(
    ResourceName("apps", "v1", "replicasets"),
    "ReplicaSet",
    "replicaset-controller",
    _by_selector,
    counts_terminating=True,
)
REPLICATION_CONTROLLERS: Final = ReplicatedKind(
    ResourceName("", "v1", "replicationcontrollers"),
    "ReplicationController",
    "replication-controller",
    _by_labels,
    counts_terminating=False,
)
