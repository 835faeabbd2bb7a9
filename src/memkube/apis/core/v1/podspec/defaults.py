"""Defaults of pod specs, in pods and in templates.

Image names are parsed as by github.com/distribution/reference, to find out whether they refer to the tag `latest`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if (
    TYPE_CHECKING
):  # Imported for type annotations only: at run time, the code for pods must not import the volume types.
    from memkube.apimachinery.quantity import Quantity
    from memkube.apis.core.v1.persistentvolumes.types import (
        PersistentVolumeSource,
        RBDPersistentVolumeSource,
        ScaleIOPersistentVolumeSource,
    )
    from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainerCommon, ResourceRequirements
    from memkube.apis.core.v1.podspec.types.env import EnvVar, EnvVarSource
    from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
    from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec, PodTemplateSpec
    from memkube.apis.core.v1.podspec.types.probes import HTTPGetAction, Lifecycle, Probe
    from memkube.apis.core.v1.podspec.types.projections import DownwardAPIVolumeFile, ProjectedVolumeSource
    from memkube.apis.core.v1.podspec.types.retired_volumes import (
        AzureDiskVolumeSource,
        RBDVolumeSource,
        ScaleIOVolumeSource,
    )
    from memkube.apis.core.v1.podspec.types.volumes import PersistentVolumeClaimSpec, Volume

_DOMAIN_PART: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_REGISTRY: Final = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_IMAGE_PATH: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_IMAGE_TAG: Final = r"[0-9A-Za-z_][0-9A-Za-z_.-]{0,127}"
_IMAGE_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_IMAGE: Final = re.compile(
    rf"(?:{_REGISTRY}/)?({_IMAGE_PATH}(?:/{_IMAGE_PATH})*)(?::({_IMAGE_TAG}))?(?:@({_IMAGE_DIGEST}))?"
)
_IDENTIFIER: Final = re.compile("[a-f0-9]{64}")
_DIGEST_LENGTHS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}
_LONGEST_PATH: Final = 255
_DEFAULT_REGISTRY: Final = "docker.io"
_INIT_CONTAINER_ANNOTATIONS: Final = frozenset(
    {
        "pod.beta.kubernetes.io/init-containers",
        "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-container-statuses",
    }
)
FILE_MODE = 0o644
TOKEN_SECONDS = 3600
GRACE_PERIOD_SECONDS = 30


@lru_cache(maxsize=1024)
def pulls_latest(image: str) -> bool:
    """True if the image has the tag `latest`, or neither tag nor digest."""
    if _IDENTIFIER.fullmatch(image):
        return False
    domain, remainder = _split(image)
    match = _IMAGE.fullmatch(f"{domain}/{remainder}")
    if match is None or remainder.partition(":")[0] != remainder.partition(":")[0].lower():
        return False
    path, tag, digest = match.groups()
    if len(path) > _LONGEST_PATH or (digest and not _is_digest(digest)):
        return False
    return tag == "latest" or not (tag or digest)


def _split(image: str) -> tuple[str, str]:
    first, slash, rest = image.partition("/")
    is_domain = first == "localhost" or "." in first or ":" in first or first != first.lower()
    if not slash or not is_domain:
        domain, rest = _DEFAULT_REGISTRY, image
    else:
        domain = _DEFAULT_REGISTRY if first == "index.docker.io" else first
    if domain == _DEFAULT_REGISTRY and "/" not in rest:
        rest = f"library/{rest}"
    return domain, rest


def _is_digest(digest: str) -> bool:
    algorithm, _, encoded = digest.partition(":")
    return len(encoded) == _DIGEST_LENGTHS.get(algorithm, 0) and encoded == encoded.lower()


def without_init_containers(annotations: dict[str, str]) -> dict[str, str]:
    """Return the annotations of a pod without the retired annotations that held init containers.

    Returns the same dictionary if it has none of them.
    """
    if _INIT_CONTAINER_ANNOTATIONS.isdisjoint(annotations):
        return annotations
    return {key: value for key, value in annotations.items() if key not in _INIT_CONTAINER_ANNOTATIONS}


def default_container(container: Container | EphemeralContainerCommon) -> None:
    """Set the defaults of a container, init container or ephemeral container in place."""
    if not container.imagePullPolicy:
        container.imagePullPolicy = default_pull_policy(container.image)
    container.terminationMessagePath = container.terminationMessagePath or "/dev/termination-log"
    container.terminationMessagePolicy = container.terminationMessagePolicy or "File"
    for port in container.ports:
        port.protocol = port.protocol or "TCP"
    default_env(container.env)
    default_requirements(container.resources)
    for probe in (container.livenessProbe, container.readinessProbe, container.startupProbe):
        if probe is not None:
            _default_probe(probe)
    if container.lifecycle is not None:
        _default_lifecycle(container.lifecycle)


def default_env(variables: Iterable[EnvVar]) -> None:
    """Set the defaults of the sources of environment variables in place, such as a field's API version."""
    for variable in variables:
        if variable.valueFrom is not None:
            _default_source(variable.valueFrom)


def default_pull_policy(image: str) -> str:
    """Return the default pull policy: Always for the tag `latest`, else IfNotPresent."""
    return "Always" if pulls_latest(image) else "IfNotPresent"


def default_requirements(requirements: ResourceRequirements) -> None:
    """Round the amounts of resource requests and limits up to thousandths, in place."""
    default_resource_list(requirements.limits)
    default_resource_list(requirements.requests)


def default_resource_list(resources: dict[str, Quantity]) -> None:
    """Round the amounts of a resource list up to thousandths, in place."""
    for name, quantity in resources.items():
        resources[name] = quantity.rounded_up_to_milli()


def _default_source(source: EnvVarSource) -> None:
    if source.fieldRef is not None:
        source.fieldRef.apiVersion = source.fieldRef.apiVersion or "v1"
    if source.fileKeyRef is not None and source.fileKeyRef.optional is None:
        source.fileKeyRef.optional = False


def _default_probe(probe: Probe) -> None:
    probe.timeoutSeconds = probe.timeoutSeconds or 1
    probe.periodSeconds = probe.periodSeconds or 10
    probe.successThreshold = probe.successThreshold or 1
    probe.failureThreshold = probe.failureThreshold or 3
    if probe.httpGet is not None:
        _default_http_get(probe.httpGet)
    if probe.grpc is not None and probe.grpc.service is None:
        probe.grpc.service = ""


def _default_lifecycle(lifecycle: Lifecycle) -> None:
    for handler in (lifecycle.postStart, lifecycle.preStop):
        if handler is not None and handler.httpGet is not None:
            _default_http_get(handler.httpGet)


def _default_http_get(action: HTTPGetAction) -> None:
    action.path = action.path or "/"
    action.scheme = action.scheme or "HTTP"


def default_volume(volume: Volume) -> None:
    """Set the defaults of a volume in place. A volume without a source becomes an emptyDir."""
    from memkube.apis.core.v1.podspec.types.volumes import EmptyDirVolumeSource, VolumeSource  # noqa: PLC0415  only pods need the types, nodes do not

    if all(getattr(volume, name) is None for name in VolumeSource.model_fields):
        volume.emptyDir = EmptyDirVolumeSource()
        return
    if volume.image is not None and not volume.image.pullPolicy:
        volume.image.pullPolicy = default_pull_policy(volume.image.reference)
    for files in (volume.secret, volume.configMap, volume.downwardAPI, volume.projected):
        if files is not None and files.defaultMode is None:
            files.defaultMode = FILE_MODE
    if volume.downwardAPI is not None:
        _default_files(volume.downwardAPI.items)
    if volume.projected is not None:
        _default_projected(volume.projected)
    if volume.ephemeral is not None and volume.ephemeral.volumeClaimTemplate is not None:
        default_claim_spec(volume.ephemeral.volumeClaimTemplate.spec)
    default_volume_source(volume)


def _default_files(files: Iterable[DownwardAPIVolumeFile]) -> None:
    for file in files:
        if file.fieldRef is not None:
            file.fieldRef.apiVersion = file.fieldRef.apiVersion or "v1"


def _default_projected(projected: ProjectedVolumeSource) -> None:
    for source in projected.sources:
        if source.downwardAPI is not None:
            _default_files(source.downwardAPI.items)
        if source.serviceAccountToken is not None and source.serviceAccountToken.expirationSeconds is None:
            source.serviceAccountToken.expirationSeconds = TOKEN_SECONDS


def default_persistent_volume_claim(claim: PersistentVolumeClaim) -> None:
    """Set the defaults of a PersistentVolumeClaim or claim template in place: phase Pending, volume mode Filesystem."""
    claim.status.phase = claim.status.phase or "Pending"
    default_resource_list(claim.status.capacity)
    default_resource_list(claim.status.allocatedResources)
    default_claim_spec(claim.spec)


def default_claim_spec(spec: PersistentVolumeClaimSpec) -> None:
    """Set the defaults of a PersistentVolumeClaim's spec in place: volume mode Filesystem and rounded amounts."""
    spec.volumeMode = "Filesystem" if spec.volumeMode is None else spec.volumeMode
    default_resource_list(spec.resources.limits)
    default_resource_list(spec.resources.requests)


def default_volume_source(volume: Volume | PersistentVolumeSource) -> None:
    """Set the defaults of volume sources that pods and PersistentVolumes have in common, in place."""
    if volume.hostPath is not None and volume.hostPath.type is None:
        volume.hostPath.type = ""
    if volume.iscsi is not None:
        volume.iscsi.iscsiInterface = volume.iscsi.iscsiInterface or "default"
    if volume.rbd is not None:
        _default_rbd(volume.rbd)
    if volume.azureDisk is not None:
        _default_azure_disk(volume.azureDisk)
    if volume.scaleIO is not None:
        _default_scale_io(volume.scaleIO)


def _default_rbd(rbd: RBDVolumeSource | RBDPersistentVolumeSource) -> None:
    rbd.pool = rbd.pool or "rbd"
    rbd.user = rbd.user or "admin"
    rbd.keyring = rbd.keyring or "/etc/ceph/keyring"


def _default_azure_disk(disk: AzureDiskVolumeSource) -> None:
    disk.cachingMode = "ReadWrite" if disk.cachingMode is None else disk.cachingMode
    disk.fsType = "ext4" if disk.fsType is None else disk.fsType
    disk.readOnly = bool(disk.readOnly)
    disk.kind = "Shared" if disk.kind is None else disk.kind


def _default_scale_io(volume: ScaleIOVolumeSource | ScaleIOPersistentVolumeSource) -> None:
    volume.storageMode = volume.storageMode or "ThinProvisioned"
    volume.fsType = volume.fsType or "xfs"


def default_pod_spec(spec: PodSpec) -> None:
    """Set the defaults of a pod spec in place, and make `serviceAccount` and `serviceAccountName` equal."""
    spec.dnsPolicy = spec.dnsPolicy or "ClusterFirst"
    spec.restartPolicy = spec.restartPolicy or "Always"
    spec.schedulerName = spec.schedulerName or "default-scheduler"
    if spec.securityContext is None:
        from memkube.apis.core.v1.podspec.types.security import PodSecurityContext  # noqa: PLC0415  only pods need the types, nodes do not

        spec.securityContext = PodSecurityContext()
    if spec.terminationGracePeriodSeconds is None:
        spec.terminationGracePeriodSeconds = GRACE_PERIOD_SECONDS
    for volume in spec.volumes:
        default_volume(volume)
    for containers in (spec.initContainers, spec.containers, spec.ephemeralContainers):
        for container in containers:
            default_container(container)
    default_resource_list(spec.overhead)
    if spec.resources is not None:
        default_requirements(spec.resources)
    spec.serviceAccountName = spec.serviceAccount = spec.serviceAccountName or spec.serviceAccount


def default_pod_template(template: PodTemplateSpec) -> None:
    """Set the defaults of a pod template in place, and drop the retired annotations for init containers."""
    template.metadata.annotations = without_init_containers(template.metadata.annotations)
    default_pod_spec(template.spec)
