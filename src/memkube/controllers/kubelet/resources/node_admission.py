"""Decides whether a node accepts a new pod (``pkg/kubelet/lifecycle/predicate.go``)."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.resources.sysctls import forbidden_sysctl
from memkube.controllers.scheduler.node_info import NodeFacts
from memkube.controllers.scheduler.plugins.declared_features import needed_features
from memkube.controllers.scheduler.plugins.node_affinity import RequiredNodeAffinity
from memkube.controllers.scheduler.plugins.taints import tolerates
from memkube.controllers.scheduler.pod_info import HostPort, host_ports, is_taken
from memkube.controllers.scheduler.pod_requests import Resources, Shortage, requests_of, shortages
from memkube.registry.objects.stored import StoredObject

_OS: Final = "kubernetes.io/os"
_LINUX: Final = "linux"


class Refusal(NamedTuple):
    """Why a node does not accept a pod: the reason and the message for the pod's status."""

    reason: str
    message: str


class _Claim(NamedTuple):
    """Resources and host ports of a node that a pod occupies."""

    resources: Resources
    ports: tuple[HostPort, ...]


class _Occupied:
    """Resources and host ports that the pods of a node occupy, by the uid of the pod, and the sum of the resources."""

    def __init__(self) -> None:
        self._claims: dict[str, _Claim] = {}
        self._sum = Resources()

    def get(self, uid: str) -> _Claim | None:
        return self._claims.get(uid)

    def put(self, uid: str, claim: _Claim) -> None:
        self.remove(uid)
        self._claims[uid] = claim
        self._sum.add(claim.resources)

    def remove(self, uid: str) -> None:
        if (claim := self._claims.pop(uid, None)) is not None:
            self._sum.subtract(claim.resources)

    def beside(self, uid: str) -> tuple[int, Resources]:
        """Return the number and the resources of all pods except the one with this uid."""
        own = self._claims.get(uid)
        if own is None:
            return len(self._claims), self._sum
        used = self._sum.copy()
        used.subtract(own.resources)
        return len(self._claims) - 1, used

    def ports_beside(self, uid: str) -> set[HostPort]:
        """Return the host ports of all pods except the one with this uid."""
        return {port for other, claim in self._claims.items() if other != uid for port in claim.ports}


class NodeAdmission:
    """Decides whether nodes accept new pods.

    A pod that the scheduler has bound fits, unless it was changed meanwhile. A pod whose ``nodeName`` a client has set
    may not fit: the node may lack resources or free host ports, or may not match the node selector of the pod.
    """

    def __init__(self, nodes: Informer) -> None:
        self._nodes = nodes
        self._facts: dict[str, tuple[StoredObject, NodeFacts]] = {}
        self._occupied: defaultdict[str, _Occupied] = defaultdict(_Occupied)
        """Resources and host ports that pods occupy, by the name of the node."""

    def admit(self, pod: StoredObject, node: str, *, is_critical: bool) -> Refusal | None:
        """Count a new pod on its node, if the node accepts it. Otherwise return why it does not.

        The resources of the node are not checked for a critical pod, for which the kubelet has already preempted other
        pods. If the Node object is missing, every pod is accepted.
        """
        claim = _claim_of(pod)
        refusal = self._refusal(pod, claim, node, is_critical)
        if refusal is None:
            self._occupied[node].put(pod.uid, claim)
        else:
            self.remove(pod.uid, node)
        return refusal

    def lacking(self, pod: StoredObject, node: str) -> list[Shortage]:
        """Return the resources that a node lacks for a new critical pod.

        The result is empty if the node has enough, or if it refuses the pod for a reason other than resources.
        """
        facts, claim = self._facts_of(node), _claim_of(pod)
        if facts is None or self._refusal(pod, claim, node, is_critical=True) is not None:
            return []
        return self._shortages(pod, claim, node, facts)

    def requests(self, uid: str, node: str) -> Resources | None:
        """Return the requests of a pod; None if the node has not accepted the pod, or if the pod has ended."""
        claim = self._occupied[node].get(uid)
        return None if claim is None else claim.resources

    def add(self, pod: StoredObject, node: str) -> None:
        """Count the resources of a pod that runs on a node already, or for which the node preempts other pods."""
        self._occupied[node].put(pod.uid, _claim_of(pod))

    def remove(self, uid: str, node: str) -> None:
        """Stop counting a pod, because it has ended or was removed from its node."""
        self._occupied[node].remove(uid)

    def resize_problem(self, pod: StoredObject, node: str) -> str:
        """Return why a node does not accept the changed resources of a pod.

        The result is empty if the node accepts them, and counts them from now on.
        """
        claim = _claim_of(pod)._replace(resources=requests_of({**pod.document, "status": {}}).resources)
        refusal = self._refusal(pod, claim, node, is_critical=False)
        if refusal is not None:
            return refusal.message
        self._occupied[node].put(pod.uid, claim)
        return ""

    def _refusal(self, pod: StoredObject, claim: _Claim, node: str, is_critical: bool) -> Refusal | None:
        facts = self._facts_of(node)
        if facts is None:
            return None
        document = pod.document
        if forbidden := forbidden_sysctl(document["spec"]):
            return Refusal("SysctlForbidden", forbidden)
        if found := _operating_system(document):
            return found
        if not is_critical and (lacking := self._shortages(pod, claim, node, facts)):
            return _out_of(lacking[0])
        return next(self._other_refusals(pod, claim, node, facts), None)

    def _shortages(self, pod: StoredObject, claim: _Claim, node: str, facts: NodeFacts) -> list[Shortage]:
        """Return the resources of which the node has too little free for a pod."""
        count, used = self._occupied[node].beside(pod.uid)
        found = [Shortage("pods", 1, count, facts.pods)] if count >= facts.pods else []
        # Ignore extended resources that the node does not report: DeviceClasses or scheduler extenders provide them.
        known = facts.allocatable.scalars
        lacking = shortages(claim.resources, used, facts.allocatable)
        return found + [one for one in lacking if "/" not in one.name or one.name in known]

    def _other_refusals(self, pod: StoredObject, claim: _Claim, node: str, facts: NodeFacts) -> Iterator[Refusal]:
        spec = pod.document["spec"]
        if not RequiredNodeAffinity(spec).matches(node, facts.labels):
            yield _predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
        if claim.ports:
            taken = self._occupied[node].ports_beside(pod.uid)
            if any(is_taken(port, taken) for port in claim.ports):
                yield _predicate("NodePorts", "node(s) didn't have free ports for the requested pod ports")
        taints = [taint for taint in facts.taints if taint.effect == "NoExecute"]
        if not all(tolerates(spec.get("tolerations"), taint) for taint in taints):
            yield _predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate")
        if missing := [feature for feature in needed_features(spec) if feature not in facts.features]:
            message = f"Pod requires node features that are not available: {', '.join(missing)}"
            yield Refusal("PodFeatureUnsupported", message)

    def _facts_of(self, node: str) -> NodeFacts | None:
        stored = self._nodes.get("", node)
        if stored is None:
            return None
        known = self._facts.get(node)
        if known is None or known[0] is not stored:
            known = self._facts[node] = stored, NodeFacts(stored.document)
        return known[1]


def _claim_of(pod: StoredObject) -> _Claim:
    document = pod.document
    return _Claim(requests_of(document).resources, host_ports(document["spec"]))


def _out_of(lacking: Shortage) -> Refusal:
    amounts = f"requested: {lacking.requested}, used: {lacking.used}, capacity: {lacking.capacity}"
    return Refusal(f"OutOf{lacking.name}", f"Node didn't have enough resource: {lacking.name}, {amounts}")


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
