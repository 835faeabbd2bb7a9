"""Nodes as the scheduler uses them (``framework/types.go``: NodeInfo), and kinds of changes of nodes and pods."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.pod_info import HostPort, PodInfo
from memkube.controllers.scheduler.pod_requests import Resources, nano_amounts

_KEEPING_OFF: Final = ("NoSchedule", "NoExecute")
_NO_LABELS: Final[Mapping[str, str]] = {}


def _image_sizes(status: dict[str, Any]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for image in status.get("images") or ():
        for name in image.get("names") or ():
            sizes.setdefault(name, image.get("sizeBytes", 0))
    return sizes


class Taint(NamedTuple):
    """Key, value and effect of a node's taint, which repels pods that do not tolerate it."""

    key: str
    value: str
    effect: str


def taints_of(node: Document) -> list[Taint]:
    """Parse the taints in a Node's ``spec.taints``, given as JSON data."""
    taints = (node.get("spec") or {}).get("taints") or ()
    return [Taint(taint["key"], taint.get("value", ""), taint["effect"]) for taint in taints]


class NodeFacts:
    """The data of a Node that the scheduler reads often. It is parsed once for each revision of the Node."""

    __slots__ = ("allocatable", "avoided", "features", "images", "labels", "pods", "taints", "unschedulable")

    def __init__(self, node: Document) -> None:
        spec, status = node.get("spec") or {}, node.get("status") or {}
        taints = taints_of(node)
        self.labels: Mapping[str, str] = node["metadata"].get("labels") or _NO_LABELS
        self.taints = tuple(taint for taint in taints if taint.effect in _KEEPING_OFF)
        self.avoided = tuple(taint for taint in taints if taint.effect == "PreferNoSchedule")
        """Taints of the node with the effect PreferNoSchedule."""
        self.unschedulable: bool = spec.get("unschedulable", False)
        amounts = nano_amounts(status.get("allocatable"))
        self.pods = amounts.get("pods", 0) // 10**9
        self.allocatable = Resources.of_nano(amounts)
        self.images = _image_sizes(status)
        self.features = frozenset(status.get("declaredFeatures") or ())


NO_FACTS: Final = NodeFacts({"metadata": {}})


class NodeInfo:
    """A node with its pods.

    `facts` has the data of the Node object. It is NO_FACTS if pods are bound to a node without a Node object.
    """

    __slots__ = ("balance", "compared_cpu", "compared_memory", "facts", "name", "pods", "ports", "requested")

    def __init__(self, name: str, facts: NodeFacts = NO_FACTS) -> None:
        self.name = name
        self.facts = facts
        self.pods: dict[str, PodInfo] = {}
        """The pods that are counted on the node, by uid."""
        self.requested = Resources()
        self.compared_cpu = 0
        self.compared_memory = 0
        self.ports: dict[HostPort, int] = {}
        """Number of pods on the node that use each host port."""
        self.balance: int | None = None
        """Cached score of the plugin NodeResourcesBalancedAllocation (see ``plugins/resources.py``)."""

    def copy(self) -> "NodeInfo":
        """Return a copy of the node, to simulate the removal of pods."""
        other = NodeInfo(self.name, self.facts)
        other.pods = dict(self.pods)
        other.requested = self.requested.copy()
        other.compared_cpu, other.compared_memory = self.compared_cpu, self.compared_memory
        other.ports = dict(self.ports)
        return other

    def add(self, pod: PodInfo) -> None:
        """Add a pod to the node, and count its requested resources and host ports."""
        self.pods[pod.uid] = pod
        requests = pod.requests
        self.requested.add(requests.resources)
        self.compared_cpu += requests.compared_cpu
        self.compared_memory += requests.compared_memory
        for port in pod.host_ports:
            self.ports[port] = self.ports.get(port, 0) + 1
        self.balance = None

    def remove(self, pod: PodInfo) -> None:
        """Remove a pod from the node, and subtract its requested resources and host ports.

        `pod` must be the object that was added.
        """
        del self.pods[pod.uid]
        requests = pod.requests
        self.requested.subtract(requests.resources)
        self.compared_cpu -= requests.compared_cpu
        self.compared_memory -= requests.compared_memory
        for port in pod.host_ports:
            self.ports[port] -= 1
            if not self.ports[port]:
                del self.ports[port]
        self.balance = None


class Change(Enum):
    """Kinds of changes of nodes and pods that may make pods schedulable."""

    NODE_ADDED = auto()
    NODE_ALLOCATABLE = auto()
    NODE_LABELS = auto()
    NODE_TAINTS = auto()
    NODE_FEATURES = auto()
    NODE_DELETED = auto()
    POD_ADDED = auto()
    """A pod was assigned to a node."""
    POD_LABELS = auto()
    POD_SCALED_DOWN = auto()
    POD_TOLERATIONS = auto()
    POD_CLAIMS = auto()
    """The names of ResourceClaims that were created for the pod were written into the pod's status."""
    POD_DELETED = auto()
    """A pod was deleted, has ended, or is no longer nominated to its node."""


class NodeChange(NamedTuple):
    """A change of a node, with the node's data before and after it."""

    name: str
    old: NodeFacts | None
    """Data of the node before the change; None if the node was added."""
    new: NodeFacts | None
    """Data of the node after the change; None if the node was deleted."""


class PodChange(NamedTuple):
    """A change of a pod, with the pod before and after it."""

    kind: Change
    old: PodInfo | None
    """The pod before the change; None if the pod was assigned to a node."""
    new: PodInfo | None
    """The pod after the change; None if the pod was deleted."""


def node_changes(old: NodeFacts, new: NodeFacts) -> set[Change]:
    """Return NODE_ADDED for a new node, or else what an update of the node has changed, such as its labels.

    Cordoning is left out, because no further pods fit on the node after it.
    """
    if old is NO_FACTS:
        return {Change.NODE_ADDED}
    changes = set()
    if new.labels != old.labels:
        changes.add(Change.NODE_LABELS)
    if new.taints != old.taints or new.avoided != old.avoided or (old.unschedulable and not new.unschedulable):
        changes.add(Change.NODE_TAINTS)
    if new.allocatable != old.allocatable or new.pods != old.pods:
        changes.add(Change.NODE_ALLOCATABLE)
    if new.features != old.features:
        changes.add(Change.NODE_FEATURES)
    return changes


def pod_changes(old: PodInfo, new: PodInfo) -> set[Change]:
    """Return what an update of a pod has changed, such as its labels, if this may make any pod schedulable."""
    changes = set()
    if new.labels != old.labels:
        changes.add(Change.POD_LABELS)
    if new.requests.resources.is_less_than(old.requests.resources):
        changes.add(Change.POD_SCALED_DOWN)
    if len(new.spec.get("tolerations") or ()) != len(old.spec.get("tolerations") or ()):
        changes.add(Change.POD_TOLERATIONS)
    if new.claim_statuses != old.claim_statuses:
        changes.add(Change.POD_CLAIMS)
    return changes
