"""The ResourceClaims that a pod uses (``dynamic-resource-allocation/resourceclaim``)."""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer, ResourceName
from memkube.controllers.workloads.owners import controller_uid
from memkube.registry.objects.stored import StoredObject

_Key: TypeAlias = tuple[str, str]
"""Namespace and name of a ResourceClaim or ResourceClaimTemplate."""
_Index: TypeAlias = dict[_Key, dict[str, StoredObject]]
"""Pods by uid, for each ResourceClaim or ResourceClaimTemplate that they use."""
CLAIMS: Final = ResourceName("resource.k8s.io", "v1", "resourceclaims")
TEMPLATES: Final = ResourceName("resource.k8s.io", "v1", "resourceclaimtemplates")
FINALIZER: Final = "resource.kubernetes.io/delete-protection"
"""Finalizer of ResourceClaims that the scheduler has allocated."""


class NotCreated(Exception):
    """Raised if a ResourceClaim of a pod was not created from its template yet. The text is Kubernetes' message."""


class ClaimName(NamedTuple):
    """Name of a ResourceClaim that a pod uses, and whether the claim was created from a template."""

    name: str
    is_generated: bool
    """True if the ResourceClaim was created from a template for this pod. The pod must then be its controller."""


def claim_name(pod: StoredObject, reference: Document) -> ClaimName | None:
    """Return the name of the ResourceClaim for `reference`, an entry of a pod's ``spec.resourceClaims``.

    Returns None if the pod's status says that this entry needs no claim. Raises NotCreated if the claim was not created
    from its template yet.
    """
    name = reference.get("resourceClaimName")
    if name is not None:
        return ClaimName(name, is_generated=False)
    for status in pod.document["status"].get("resourceClaimStatuses") or ():
        if status["name"] == reference["name"]:
            found = status.get("resourceClaimName")
            return None if found is None else ClaimName(found, is_generated=True)
    raise NotCreated(f'pod "{pod.namespace}/{pod.name}": ResourceClaim not created yet')


def claim_references(pod: StoredObject) -> list[Document]:
    """Return the entries of a pod's ``spec.resourceClaims``."""
    return pod.document["spec"].get("resourceClaims") or []


def known_claim_names(pod: StoredObject) -> Iterator[str]:
    """Yield the names of a pod's ResourceClaims that were created.

    The claim for its extended resources is left out.
    """
    for reference in claim_references(pod):
        try:
            found = claim_name(pod, reference)
        except NotCreated:
            continue
        if found is not None:
            yield found.name


def extended_claim_name(pod: StoredObject) -> str:
    """Return the name of the ResourceClaim that the scheduler has created for a pod's extended resources, or ""."""
    status = pod.document["status"].get("extendedResourceClaimStatus") or {}
    name: str = status.get("resourceClaimName", "")
    return name


def not_for_pod(claim: StoredObject, pod: StoredObject) -> str:
    """Return why a ResourceClaim was not created for this pod; empty if the pod is its controller."""
    if controller_uid(claim) == pod.uid:
        return ""
    where = f"ResourceClaim {claim.namespace}/{claim.name}"
    return f"{where} was not created for Pod {pod.namespace}/{pod.name} (Pod is not owner)"


def allocation_of(claim: StoredObject) -> Document | None:
    """Return the allocation of a ResourceClaim, or None if it is not allocated."""
    allocation: Document | None = claim.document["status"].get("allocation")
    return allocation


def consumers_of(claim: StoredObject) -> list[Document]:
    """Return the consumers for which a ResourceClaim is reserved (``status.reservedFor``)."""
    return claim.document["status"].get("reservedFor") or []


def is_reserved_for(claim: StoredObject, uid: str) -> bool:
    """True if a ResourceClaim is reserved for the pod with this uid."""
    return any(consumer["uid"] == uid for consumer in consumers_of(claim))


def consumer(pod_name: str, uid: str) -> Document:
    """Return the entry for a pod in ``status.reservedFor`` of a ResourceClaim."""
    return {"resource": "pods", "name": pod_name, "uid": uid}


class PodsByResourceClaim:
    """Indexes of pods by the ResourceClaims and ResourceClaimTemplates that they use.

    Create the indexes before their users subscribe to pods, so that they are updated before the users are called.
    """

    def __init__(self, pods: Informer) -> None:
        self._by_claim: _Index = {}
        self._by_template: _Index = {}
        pods.subscribe(self._on_pod)

    def of_claim(self, namespace: str, name: str) -> list[StoredObject]:
        """Return the pods that use a ResourceClaim."""
        return list(self._by_claim.get((namespace, name), {}).values())

    def of_template(self, namespace: str, name: str) -> list[StoredObject]:
        """Return the pods that use a ResourceClaimTemplate."""
        return list(self._by_template.get((namespace, name), {}).values())

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and claim_references(old):
            for index, key in self._places(old):
                pods = index.get(key, {})
                pods.pop(old.uid, None)
                if not pods:
                    index.pop(key, None)
        if new is not None and claim_references(new):
            for index, key in self._places(new):
                index.setdefault(key, {})[new.uid] = new

    def _places(self, pod: StoredObject) -> Iterator[tuple[_Index, _Key]]:
        for name in known_claim_names(pod):
            yield self._by_claim, (pod.namespace, name)
        for reference in claim_references(pod):
            if reference.get("resourceClaimTemplateName") is not None:
                yield self._by_template, (pod.namespace, reference["resourceClaimTemplateName"])
