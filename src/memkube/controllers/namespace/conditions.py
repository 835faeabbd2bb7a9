"""What the status of a terminating namespace tells of its content (``status_condition_utils.go``)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.namespaces.types import NamespaceCondition, NamespaceStatus

CONTENT_FAILURE: Final = "NamespaceDeletionContentFailure"
CONTENT_REMAINING: Final = "NamespaceContentRemaining"
FINALIZERS_REMAINING: Final = "NamespaceFinalizersRemaining"


class Trouble(NamedTuple):
    """Why a condition is true."""

    reason: str
    message: str


_FINE: Final[dict[str, Trouble]] = {
    "NamespaceDeletionDiscoveryFailure": Trouble("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": Trouble(
        "ParsedGroupVersions", "All legacy kube types successfully parsed"
    ),
    CONTENT_FAILURE: Trouble("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
    CONTENT_REMAINING: Trouble("ContentRemoved", "All content successfully removed"),
    FINALIZERS_REMAINING: Trouble("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


def content_failure(errors: list[str]) -> Trouble:
    """Some kinds could not be deleted."""
    shown = ", ".join(sorted(errors))
    message = f"Failed to delete all resource types, {len(errors)} remaining: {shown}"
    return Trouble("ContentDeletionFailed", message)


def content_remaining(counts: Mapping[str, int]) -> Trouble:
    """Objects are left, counted by resource."""
    shown = sorted(f"{resource} has {count} resource instances" for resource, count in counts.items())
    return Trouble("SomeResourcesRemain", f"Some resources are remaining: {', '.join(shown)}")


def finalizers_remaining(counts: Mapping[str, int]) -> Trouble:
    """Objects are held, counted by finalizer."""
    shown = ", ".join(sorted(f"{finalizer} in {count} resource instances" for finalizer, count in counts.items()))
    return Trouble("SomeFinalizersRemain", f"Some content in the namespace has finalizers remaining: {shown}")


def set_conditions(status: NamespaceStatus, troubles: Mapping[str, Trouble], now: Time) -> None:
    """Makes every condition tell what is the case; its transition time changes only with its ``status``."""
    for name, fine in _FINE.items():
        reason, message = troubles.get(name, fine)
        value = "True" if name in troubles else "False"
        condition = find_condition(status.conditions, name)
        if condition is None:
            condition = NamespaceCondition(type=name)
            status.conditions = [*status.conditions, condition]
        if condition.status != value:
            condition.lastTransitionTime = now
        condition.status, condition.reason, condition.message = value, reason, message
