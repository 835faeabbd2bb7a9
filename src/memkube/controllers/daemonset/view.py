"""The input of one reconciliation of a DaemonSet, and functions that group and sort its pods."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.apps.v1.daemonsets.strategy import TEMPLATE_GENERATION
from memkube.controllers.daemonset.placement import Decision, target_node
from memkube.controllers.framework.pods_by_node import node_of
from memkube.controllers.workloads.pod_state import is_available, is_ended, is_terminating
from memkube.controllers.workloads.revisions import REVISION_HASH
from memkube.registry.objects.stored import StoredObject

GENERATION_LABEL: Final = "pod-template-generation"
"""Name of the pod label that contains the generation of the DaemonSet's pod template."""


@dataclass(frozen=True, slots=True)
class View:
    """A DaemonSet with its nodes and pods at one instant."""

    daemon_set: StoredObject
    revision: str
    """Hash of the DaemonSet's present pod template."""
    decisions: Mapping[str, Decision]
    """Decision for each existing node, by name: whether a pod of the DaemonSet should be created or stay there."""
    pods: Mapping[str, Sequence[StoredObject]]
    """The DaemonSet's pods, by the name of the node that they are bound to or require. The node need not exist."""
    now: datetime

    @property
    def document(self) -> Document:
        """The stored DaemonSet as JSON data."""
        return self.daemon_set.document

    @property
    def generation(self) -> str:
        """The generation of the DaemonSet's pod template, as text from the DaemonSet's annotation."""
        return template_generation(self.daemon_set)

    @property
    def min_ready_seconds(self) -> int:
        """Seconds for which a pod of the DaemonSet must be ready to count as available (``minReadySeconds``)."""
        seconds: int = self.document["spec"].get("minReadySeconds", 0)
        return seconds

    def is_available(self, pod: StoredObject) -> bool:
        """True if a pod has been ready for the DaemonSet's ``minReadySeconds``."""
        return is_available(pod, self.min_ready_seconds, self.now)

    def is_updated(self, pod: StoredObject) -> bool:
        """True if a pod was created from the DaemonSet's present pod template."""
        labels = pod.labels
        return self.generation == labels.get(GENERATION_LABEL) or (
            self.revision != "" and labels.get(REVISION_HASH) == self.revision
        )


def template_generation(daemon_set: StoredObject) -> str:
    """Return the generation of a DaemonSet's pod template, as the text in its annotation.

    Every stored DaemonSet has this annotation (`TEMPLATE_GENERATION`).
    """
    generation: str = daemon_set.document["metadata"]["annotations"][TEMPLATE_GENERATION]
    return generation


def by_target_node(pods: Iterable[StoredObject]) -> dict[str, list[StoredObject]]:
    """Group pods by the name of their node. Pods that are both ended and terminating are left out."""
    grouped: dict[str, list[StoredObject]] = {}
    for pod in pods:
        if not (is_ended(pod) and is_terminating(pod)) and (node := target_node(pod)):
            grouped.setdefault(node, []).append(pod)
    return grouped


def age_order(pod: StoredObject) -> tuple[bool, str, int, str]:
    """Sort key of a DaemonSet's pods: bound pods before unbound pods, then older pods before newer pods.

    Kubernetes orders pods that were created in the same second by their random names. Here the generations of their
    templates are compared before the names. Otherwise the order would often be random on a stepped clock, which moves
    only when a client advances it: many pods are created in the same second of such a clock.
    """
    generation = pod.labels.get(GENERATION_LABEL, "")
    number = int(generation) if generation.isascii() and generation.isdigit() else 0
    return not node_of(pod), pod.document["metadata"]["creationTimestamp"], number, pod.name
