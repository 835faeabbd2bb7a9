"""What decisions depend on besides nodes and pods."""

from collections.abc import Iterator, Mapping
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.informer import Informer
from memkube.controllers.runtime import Runtime
from memkube.controllers.scheduler.pod_selector import Labels

_NO_LABELS: Final[Mapping[str, str]] = {}


class Surroundings:
    """Namespaces, services, the controllers of pods, and disruption budgets."""

    def __init__(self, runtime: Runtime) -> None:
        of = runtime.informers.of
        self.namespaces = of("", "v1", "namespaces")
        self.services = of("", "v1", "services")
        self.budgets = of("policy", "v1", "poddisruptionbudgets")
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
