"""What happens in a cluster that may help pods which fitted nowhere (``framework/events.go``)."""

from enum import Enum, auto

from memkube.controllers.scheduler.node_info import NO_FACTS, NodeFacts
from memkube.controllers.scheduler.pod_info import PodInfo


class Change(Enum):
    """What has changed."""

    NODE_ADDED = auto()
    NODE_ALLOCATABLE = auto()
    NODE_LABELS = auto()
    NODE_TAINTS = auto()
    NODE_DELETED = auto()
    POD_ADDED = auto()
    """A pod has a node now."""
    POD_LABELS = auto()
    POD_SCALED_DOWN = auto()
    POD_TOLERATIONS = auto()
    POD_DELETED = auto()
    """A pod has its node no longer."""


def node_changes(old: NodeFacts, new: NodeFacts) -> set[Change]:
    """What is different about a node that might let more pods run there."""
    if old is NO_FACTS:
        return {Change.NODE_ADDED}
    changes = set()
    if new.labels != old.labels:
        changes.add(Change.NODE_LABELS)
    if new.taints != old.taints or new.avoided != old.avoided or (old.unschedulable and not new.unschedulable):
        changes.add(Change.NODE_TAINTS)
    if new.allocatable != old.allocatable or new.pods != old.pods:
        changes.add(Change.NODE_ALLOCATABLE)
    return changes


def pod_changes(old: PodInfo, new: PodInfo) -> set[Change]:
    """What is different about a pod that might let it, or others, run where they could not before."""
    changes = set()
    if new.labels != old.labels:
        changes.add(Change.POD_LABELS)
    if new.requests.resources.is_less_than(old.requests.resources):
        changes.add(Change.POD_SCALED_DOWN)
    if len(new.spec.get("tolerations") or ()) != len(old.spec.get("tolerations") or ()):
        changes.add(Change.POD_TOLERATIONS)
    return changes
