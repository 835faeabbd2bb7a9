"""Built-in system PriorityClasses (``pkg/apis/scheduling/v1/helpers.go``)."""

from typing import Final

from memkube.apimachinery.model import Document

PREFIX: Final = "system-"
"""Prefix of PriorityClass names that is reserved for system classes."""
HIGHEST_USER_PRIORITY: Final = 1_000_000_000

SYSTEM_CLASSES: Final[dict[str, tuple[int, str]]] = {
    "system-node-critical": (
        2 * HIGHEST_USER_PRIORITY + 1000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    "system-cluster-critical": (
        2 * HIGHEST_USER_PRIORITY,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
}
"""Value and description of each system PriorityClass by name, in order of creation."""


def system_classes() -> list[Document]:
    """Return the system PriorityClasses as kube-apiserver creates them."""
    return [
        {"metadata": {"name": name}, "value": value, "description": description}
        for name, (value, description) in SYSTEM_CLASSES.items()
    ]
