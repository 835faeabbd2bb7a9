"""The two kinds that keep a number of pods, and where they differ."""

from dataclasses import dataclass
from typing import Final

from memkube.apimachinery import labels
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.selectors import LabelSelector as LabelSelectorModel
from memkube.apimachinery.model import Document
from memkube.controllers.informer import ResourceName
from memkube.controllers.workloads.pod_owners import OwnerKind


@dataclass(frozen=True, slots=True)
class ReplicatedKind:
    """A kind that keeps a number of pods."""

    owners: OwnerKind
    component: str
    """In whose name events are written."""
    counts_terminating: bool
    """Whether its status has a number of pods on their way out."""


def _by_labels(document: Document) -> LabelSelector:
    return labels.from_model(LabelSelectorModel(matchLabels=document["spec"].get("selector") or {}))


REPLICA_SETS: Final = ReplicatedKind(
    OwnerKind(ResourceName("apps", "v1", "replicasets"), "ReplicaSet"),
    "replicaset-controller",
    counts_terminating=True,
)
REPLICATION_CONTROLLERS: Final = ReplicatedKind(
    OwnerKind(ResourceName("", "v1", "replicationcontrollers"), "ReplicationController", _by_labels),
    "replication-controller",
    counts_terminating=False,
)
