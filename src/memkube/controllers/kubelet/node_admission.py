"""Whether a node accepts a new pod, by what the pod asks of the node (``pkg/kubelet/lifecycle/predicate.go``)."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.sysctls import forbidden_sysctl
from memkube.controllers.scheduler.node_info import NodeFacts
from memkube.controllers.scheduler.plugins.node_affinity import RequiredNodeAffinity
from memkube.controllers.scheduler.plugins.taints import tolerates
from memkube.controllers.scheduler.pod_info import HostPort, host_ports, is_taken
from memkube.controllers.scheduler.pod_requests import Resources, requests_of
from memkube.registry.objects.stored import StoredObject

_OS: Final = "kubernetes.io/os"
_LINUX: Final = "linux"


class Refusal(NamedTuple):
    """Why a node does not accept a pod: the reason and the message for the pod's status."""

    reason: str
    message: str


class _Claim(NamedTuple):
    """What a pod takes of its node."""

    resources: Resources
    ports: tuple[HostPort, ...]


class NodeAdmission:
    """Decides whether nodes accept new pods.

    A pod that the scheduler has bound fits, unless it was changed meanwhile. A pod whose ``nodeName`` a client has set
    may not fit: the node may lack resources or free host ports, or may not have the labels that the pod asks for.
    """

    def __init__(self, nodes: Informer) -> None:
        self._nodes = nodes
        self._facts: dict[str, tuple[StoredObject, NodeFacts]] = {}
        self._claims: dict[str, _Claim] = {}

    def refusal(
        self, pod: StoredObject, node: str, others: Iterable[StoredObject], *, is_critical: bool
    ) -> Refusal | None:
        """Return why a node does not accept a new pod; None if it does, or if its Node object is missing.

        `others` are the pods that run on the node. A critical pod is accepted even if resources are missing for it.
        """
        facts = self._facts_of(node)
        if facts is None:
            return None
        document = pod.document
        if forbidden := forbidden_sysctl(document["spec"]):
            return Refusal("SysctlForbidden", forbidden)
        wanted = self._claim(pod).resources
        found = _operating_system(document) or (None if is_critical else self._shortage(wanted, facts, others))
        return found or next(self._other_refusals(pod, node, facts, others), None)

    def resize_shortage(self, pod: StoredObject, node: str, others: Iterable[StoredObject]) -> str:
        """Return why a node has too little for the resources in a pod's changed spec; empty if the pod gets them now.

        `others` are the other pods that run on the node.
        """
        facts = self._facts_of(node)
        if facts is None:
            return ""
        wanted = requests_of({**pod.document, "status": {}}).resources
        found = self._shortage(wanted, facts, others)
        if found is not None:
            return found.message
        self._claims[pod.uid] = self._claim(pod)._replace(resources=wanted)
        return ""

    def forget(self, uid: str) -> None:
        """Forget a pod that has been removed from its node."""
        self._claims.pop(uid, None)

    def _facts_of(self, node: str) -> NodeFacts | None:
        stored = self._nodes.get("", node)
        if stored is None:
            return None
        known = self._facts.get(node)
        if known is None or known[0] is not stored:
            known = self._facts[node] = stored, NodeFacts(stored.document)
        return known[1]

    def _claim(self, pod: StoredObject) -> _Claim:
        claim = self._claims.get(pod.uid)
        if claim is None:
            document = pod.document
            claim = self._claims[pod.uid] = _Claim(requests_of(document).resources, host_ports(document["spec"]))
        return claim

    def _shortage(self, wanted: Resources, facts: NodeFacts, others: Iterable[StoredObject]) -> Refusal | None:
        """Return the first resource of which the node has too little left for a pod, as a refusal."""
        used, count = Resources(), 0
        for other in others:
            used.add(self._claim(other).resources)
            count += 1
        offered = facts.allocatable
        amounts = [
            ("pods", 1, count, facts.pods),
            ("cpu", wanted.cpu, used.cpu, offered.cpu),
            ("memory", wanted.memory, used.memory, offered.memory),
            ("ephemeral-storage", wanted.ephemeral_storage, used.ephemeral_storage, offered.ephemeral_storage),
        ]
        # Extended resources that the node does not report belong to the whole cluster, or come from DeviceClasses.
        amounts += [
            (name, amount, used.scalars.get(name, 0), offered.scalars.get(name, 0))
            for name, amount in wanted.scalars.items()
            if "/" not in name or name in offered.scalars
        ]
        for name, amount, taken, capacity in amounts:
            if amount and amount > capacity - taken:
                text = f"{name}, requested: {amount}, used: {taken}, capacity: {capacity}"
                return Refusal(f"OutOf{name}", f"Node didn't have enough resource: {text}")
        return None

    def _other_refusals(
        self, pod: StoredObject, node: str, facts: NodeFacts, others: Iterable[StoredObject]
    ) -> Iterator[Refusal]:
        spec: Document = pod.document["spec"]
        if not RequiredNodeAffinity(spec).matches(node, facts.labels):
            yield _predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
        if ports := self._claim(pod).ports:
            taken = {port for other in others for port in self._claim(other).ports}
            if any(is_taken(port, taken) for port in ports):
                yield _predicate("NodePorts", "node(s) didn't have free ports for the requested pod ports")
        taints = [taint for taint in facts.taints if taint.effect == "NoExecute"]
        if not all(tolerates(spec.get("tolerations"), taint) for taint in taints):
            yield _predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate")


def _operating_system(pod: Document) -> Refusal | None:
    labels = pod["metadata"].get("labels") or {}
    if labels.get(_OS, _LINUX) != _LINUX:
        message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
        return Refusal("PodOSSelectorNodeLabelDoesNotMatch", message)
    if (pod["spec"].get("os") or {}).get("name", _LINUX) != _LINUX:
        return Refusal("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS")
    return None


def _predicate(name: str, description: str) -> Refusal:
    return Refusal(name, f"Predicate {name} failed: {description}")
