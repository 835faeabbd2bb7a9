"""What rules and scores are (``pkg/scheduler/framework/interface.go``), and what they depend on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import Labels

_NO_LABELS: Final[Mapping[str, str]] = {}


class Surroundings:
    """Namespaces, services, the controllers of pods, disruption budgets, and storage."""

    def __init__(self, runtime: Runtime) -> None:
        of = runtime.informers.of
        self.namespaces = of("", "v1", "namespaces")
        self.services = of("", "v1", "services")
        self.budgets = of("policy", "v1", "poddisruptionbudgets")
        self.claims = of("", "v1", "persistentvolumeclaims")
        self.volumes = of("", "v1", "persistentvolumes")
        self.storage_classes = of("storage.k8s.io", "v1", "storageclasses")
        self._owners: Mapping[tuple[str, str], Informer] = {
            ("v1", "ReplicationController"): of("", "v1", "replicationcontrollers"),
            ("apps/v1", "ReplicaSet"): of("apps", "v1", "replicasets"),
            ("apps/v1", "StatefulSet"): of("apps", "v1", "statefulsets"),
        }

    def namespace_labels(self, name: str) -> Labels:
        """The labels of a namespace."""
        namespace = self.namespaces.get("", name)
        return _NO_LABELS if namespace is None else namespace.labels

    def services_of(self, namespace: str) -> Iterator[Document]:
        """The services of a namespace."""
        return (service.document for service in self.services.in_namespace(namespace).values())

    def controller_of(self, pod: Document) -> Document | None:
        """What controls a pod, where it is something that runs several equal ones."""
        metadata = pod["metadata"]
        references = metadata.get("ownerReferences") or ()
        owner = next((reference for reference in references if reference.get("controller")), None)
        informer = owner and self._owners.get((owner["apiVersion"], owner["kind"]))
        if not owner or informer is None:
            return None
        stored = informer.get(metadata["namespace"], owner["name"])
        return None if stored is None else stored.document


class Rejection(NamedTuple):
    """Why a pod cannot run on a node."""

    rule: str
    reasons: tuple[str, ...]
    resolvable: bool
    """Whether the eviction of other pods may help."""


class Impossible(Exception):
    """A pod can run on no node at all, whatever is on them; the message says why."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message


class Situation(NamedTuple):
    """What a decision about a pod is made from."""

    pod: PodInfo
    cluster: Cluster
    surroundings: Surroundings


class Check:
    """A rule as it applies to one pod.

    What it knows about other pods can be changed, to try out how things would be with more or fewer of them.
    """

    only_nodes: frozenset[str] | None = None
    """The names of the nodes that come into question at all, where a rule knows them."""

    def rejects(self, node: NodeInfo) -> Rejection | None:
        """Why the pod cannot run on a node, if it cannot."""
        raise NotImplementedError

    def pod_added(self, pod: PodInfo, node: NodeInfo) -> None:
        """Supposes that a node had one pod more."""

    def pod_removed(self, pod: PodInfo, node: NodeInfo) -> None:
        """Supposes that a node had one pod less."""

    def copy(self) -> Self:
        """The same check, to suppose things apart."""
        return self


class Rule(NamedTuple):
    """What may rule nodes out. The name is that of the reference's plugin, which messages contain."""

    name: str
    prepare: Callable[[Situation], Check | None]
    """The check for a pod; None where no node can fail it. Raises Impossible."""


class Score(NamedTuple):
    """What may make nodes better than others."""

    weight: int
    score: Callable[[Situation, Sequence[NodeInfo]], Sequence[int] | None]
    """From 0 to 100 for each node; None where all are equal."""
