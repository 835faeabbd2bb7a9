"""The objects that pods and persistent volumes refer to, so that the kubelets of the pods may read them."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.config_map_names import config_map_names
from memkube.apis.core.v1.podspec.secret_names import secret_names
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD

CONFIG_MAP: Final = "configmaps"
SECRET: Final = "secrets"  # noqa: S105  a resource, not a password
ACCOUNT: Final = "serviceaccounts"
VOLUME_CLAIM: Final = "persistentvolumeclaims"
VOLUME: Final = "persistentvolumes"
RESOURCE_CLAIM: Final = "resourceclaims"
ATTACHMENT: Final = "volumeattachments"
SLICE: Final = "resourceslices"
POD: Final = "pods"
_OF_CLAIM: Final = ("cephfs", "flexVolume", "rbd", "scaleIO", "iscsi")
"""Types of volume sources whose secret is in the namespace of the bound claim, unless the reference names a namespace.
"""
_OF_KUBELET: Final = ("nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef")
"""Fields of CSI volumes that refer to secrets which the kubelet reads. Other secret fields are for controllers."""


class Vertex(NamedTuple):
    """A vertex of the node graph: an object, by resource, namespace and name.

    The namespace of cluster-scoped objects is empty.
    """

    resource: str
    namespace: str
    name: str


def pod_references(pod: Document) -> set[Vertex]:
    """Return the objects that the containers and volumes of a bound pod need; none for a mirror pod.

    A kubelet creates mirror pods, so they must not give it access to anything.
    """
    metadata = pod["metadata"]
    if MIRROR_POD in (metadata.get("annotations") or {}):
        return set()
    namespace = metadata["namespace"]
    spec = PodSpec.from_document(pod["spec"])
    named = {(ACCOUNT, spec.serviceAccountName)}
    named |= {(SECRET, name) for name in secret_names(spec)}
    named |= {(CONFIG_MAP, name) for name in config_map_names(spec)}
    for volume in spec.volumes:
        if volume.persistentVolumeClaim:
            named.add((VOLUME_CLAIM, volume.persistentVolumeClaim.claimName))
        elif volume.ephemeral:
            named.add((VOLUME_CLAIM, f"{metadata['name']}-{volume.name}"))
    named |= {(RESOURCE_CLAIM, name) for name in _resource_claims(pod)}
    return {Vertex(resource, namespace, name) for resource, name in named if name}


def _resource_claims(pod: Document) -> Iterator[str]:
    """Yield the names of a pod's resource claims. Claims that have not been created yet are left out."""
    status = pod.get("status") or {}
    made = {one["name"]: one.get("resourceClaimName") for one in status.get("resourceClaimStatuses") or ()}
    for claim in pod["spec"].get("resourceClaims") or ():
        yield claim.get("resourceClaimName") or (made.get(claim["name"]) or "")
    yield (status.get("extendedResourceClaimStatus") or {}).get("resourceClaimName") or ""


def volume_secrets(volume: Document) -> Iterator[Vertex]:
    """Yield the secrets that a kubelet needs to mount a persistent volume (``pkg/api/v1/persistentvolume``)."""
    spec = volume["spec"]
    own = (spec.get("claimRef") or {}).get("namespace") or ""
    if azure := spec.get("azureFile"):
        yield Vertex(SECRET, azure.get("secretNamespace") or own, azure["secretName"])
    for source in _OF_CLAIM:
        if reference := (spec.get(source) or {}).get("secretRef"):
            yield Vertex(SECRET, reference.get("namespace") or own, reference.get("name") or "")
    references = [(spec.get(source) or {}).get("secretRef") for source in ("cinder", "storageos")]
    references += [(spec.get("csi") or {}).get(name) for name in _OF_KUBELET]
    for reference in references:
        if reference:
            yield Vertex(SECRET, reference.get("namespace") or "", reference.get("name") or "")
