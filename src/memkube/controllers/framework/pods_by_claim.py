"""An index of pods by the PersistentVolumeClaims that they use."""

from collections.abc import Iterator

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.registry.objects.stored import StoredObject


class PodsByClaim:
    """Index of pods by the namespace and name of the PersistentVolumeClaims that they use (``PodPVCIndex``)."""

    def __init__(self, pods: Informer) -> None:
        self._pods: dict[tuple[str, str], dict[str, StoredObject]] = {}
        pods.subscribe(self._on_pod)

    def of(self, namespace: str, claim: str) -> list[StoredObject]:
        """Return the pods that use a PersistentVolumeClaim, in the order in which the informer reported them."""
        return list(self._pods.get((namespace, claim), {}).values())

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            for name in claims_of_pod(new):
                self._pods.setdefault((new.namespace, name), {})[new.uid] = new
        elif old is not None:
            for name in claims_of_pod(old):
                pods = self._pods.get((old.namespace, name), {})
                pods.pop(old.uid, None)
                if not pods:
                    self._pods.pop((old.namespace, name), None)


def claims_of_pod(pod: StoredObject) -> Iterator[str]:
    """Return the names of the PersistentVolumeClaims that a pod uses, including those of its ephemeral volumes."""
    return (name for name, _ in claim_names(pod.name, pod.document["spec"]))


def claim_names(pod_name: str, spec: Document) -> Iterator[tuple[str, bool]]:
    """Yield a pair for each PersistentVolumeClaim of a pod: its name, and True if it is for an ephemeral volume.

    `spec` is the spec of the pod.
    """
    for volume in spec.get("volumes") or ():
        claim = volume.get("persistentVolumeClaim")
        if claim is not None:
            yield claim["claimName"], False
        elif volume.get("ephemeral") is not None:
            yield f"{pod_name}-{volume['name']}", True
