"""Rules for pods: a kubelet may create mirror pods, and update, evict and delete the pods on its node."""

from collections.abc import Iterator
from typing import Final

from memkube.admission.node_restriction.lookups import look_up
from memkube.apimachinery.meta.v1.api_object import OwnerReference
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.pods.types import Pod, PodStatus
from memkube.apis.core.v1.podspec.secret_names import secret_names
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.projections import VolumeProjection
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.apis.core.v1.podspec.validation.resources import MIRROR_POD
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.registry import Registry

_BY_SOURCE: Final = {
    "configMap": "configmaps (via configmap volumes)",
    "secret": "secrets (via secret volumes)",
    "csi": "csidrivers (via CSI volumes)",
    "glusterfs": "endpoints (via glusterFS volumes)",
    "persistentVolumeClaim": "persistentvolumeclaims",
    "ephemeral": "persistentvolumeclaims (via ephemeral volumes)",
    "azureFile": "secrets (via azureFile volumes)",
}
_BY_PROJECTION: Final = {
    "configMap": "configmaps (via projected volumes)",
    "secret": "secrets (via projected volumes)",
    "serviceAccountToken": "serviceaccounts (via projected volumes)",
    "clusterTrustBundle": "clustertrustbundles",
    "podCertificate": "podcertificates",
}


class PodRules:
    """Checks whether a kubelet may write to a pod or its subresources."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def check_pod(self, node: str, attributes: Attributes) -> None:
        """Raise ApiError if the kubelet of `node` may not perform the operation on the pod or its subresource."""
        operation = attributes.operation
        match attributes.subresource:
            case "" if operation == "CREATE":
                await self._check_creation(node, attributes)
            case "" if operation == "DELETE":
                if isinstance(attributes.old, Pod) and attributes.old.spec.nodeName != node:
                    raise refused(attributes, _itself(node, "delete pods"))
            case "":
                what = f"unexpected operation {quoted(operation)}"
                raise refused(attributes, f"{what}, node {quoted(node)} can only create and delete mirror pods")
            case "status":
                _check_status(node, attributes)
            case "eviction":
                pod = await self._pod(attributes.namespace, attributes.name)
                if pod.spec.nodeName != node:
                    why = f"node {node} can only evict pods with spec.nodeName set to itself"
                    raise refused(attributes, why)
            case other:
                why = f"unexpected pod subresource {quoted(other)}, only 'status' and 'eviction' are allowed"
                raise refused(attributes, why)

    async def _check_creation(self, node: str, attributes: Attributes) -> None:
        pod = attributes.new
        assert isinstance(pod, Pod)
        if MIRROR_POD not in pod.metadata.annotations:
            what = f"pod does not have {quoted(MIRROR_POD)} annotation"
            raise refused(attributes, f"{what}, node {quoted(node)} can only create mirror pods")
        if pod.spec.nodeName != node:
            raise refused(attributes, _itself(node, "create pods"))
        owners = pod.metadata.ownerReferences
        if len(owners) > 1:
            why = f"node {quoted(node)} can only create pods with a single owner reference set to itself"
            raise refused(attributes, why)
        await self._check_owner(node, attributes, owners[0] if owners else OwnerReference())
        reference = _reference(attributes, pod.spec)
        if reference is not None:
            raise refused(attributes, f"node {quoted(node)} can not create pods that reference {reference}")

    async def _check_owner(self, node: str, attributes: Attributes, owner: OwnerReference) -> None:
        only = f"node {quoted(node)} can only create pods with"
        if (owner.apiVersion, owner.kind, owner.name) != ("v1", "Node", node):
            raise refused(attributes, f"{only} an owner reference set to itself")
        if not owner.controller:
            raise refused(attributes, f"{only} a controller owner reference set to itself")
        if owner.blockOwnerDeletion:
            why = f"node {quoted(node)} must not set blockOwnerDeletion on an owner reference"
            raise refused(attributes, why)
        uid = (await look_up(self._registry, "", "nodes", "", node)).uid
        if owner.uid != uid:
            raise refused(attributes, f"node {node} UID mismatch: expected {owner.uid} got {uid}")

    async def _pod(self, namespace: str, name: str) -> Pod:
        return Pod.from_document((await look_up(self._registry, "", "pods", namespace, name)).document)


def _itself(node: str, what: str) -> str:
    return f"node {quoted(node)} can only {what} with spec.nodeName set to itself"


def _check_status(node: str, attributes: Attributes) -> None:
    new, old = attributes.new, attributes.old
    assert isinstance(new, Pod)
    assert isinstance(old, Pod)
    if old.spec.nodeName != node:
        raise refused(attributes, _itself(node, "update pod status for pods"))
    if new.metadata.labels != old.metadata.labels:
        raise refused(attributes, f"node {quoted(node)} cannot update labels through pod status")
    if _claims(new.status) != _claims(old.status):
        raise refused(attributes, f"node {quoted(node)} cannot update resource claim statues")
    if new.status.extendedResourceClaimStatus != old.status.extendedResourceClaimStatus:
        raise refused(attributes, f"node {quoted(node)} cannot update extended resource claim status")


def _claims(status: PodStatus) -> list[tuple[str, str | None]]:
    return [(claim.name, claim.resourceClaimName) for claim in status.resourceClaimStatuses]


def _reference(attributes: Attributes, spec: PodSpec) -> str | None:
    """Return the first reference of a mirror pod to another API object; None if it has no such reference.

    The result is a text for error messages, such as ``secrets (via secret volumes)``. Source: ``pkg/api/pod``
    (HasAPIObjectReference).
    """
    if spec.serviceAccountName:
        return "serviceaccounts"
    if any(True for _ in secret_names(spec)):
        return "secrets"
    if any(_config_maps(spec)):
        return "configmaps"
    if spec.resourceClaims:
        return "resourceclaims"
    references = (_reference_of_volume(attributes, volume) for volume in spec.volumes)
    return next((reference for reference in references if reference is not None), None)


def _config_maps(spec: PodSpec) -> Iterator[bool]:
    for container in (*spec.initContainers, *spec.containers, *spec.ephemeralContainers):
        yield any(source.configMapRef is not None for source in container.envFrom)
        yield any(v.valueFrom is not None and v.valueFrom.configMapKeyRef is not None for v in container.env)
    for volume in spec.volumes:
        yield volume.configMap is not None
        yield volume.projected is not None and any(source.configMap is not None for source in volume.projected.sources)


def _reference_of_volume(attributes: Attributes, volume: Volume) -> str | None:
    reference = next((text for name, text in _BY_SOURCE.items() if getattr(volume, name) is not None), None)
    if reference is not None or volume.projected is None:
        return reference
    for source in volume.projected.sources:
        reference = _reference_of_projection(source)
        if reference is not None:
            return reference
        if source.downwardAPI is None:
            why = f"unknown source for projected volume {quoted(volume.name)}"
            raise refused(attributes, f"error checking mirror pod for API references: {why}")
    return None


def _reference_of_projection(source: VolumeProjection) -> str | None:
    return next((text for name, text in _BY_PROJECTION.items() if getattr(source, name) is not None), None)
