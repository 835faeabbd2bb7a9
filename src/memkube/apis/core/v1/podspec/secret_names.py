"""Names of the secrets that a pod refers to (``pkg/api/pod``: VisitPodSecretNames)."""

from collections.abc import Iterator

from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.apis.core.v1.podspec.validation.context import AnyContainer


def secret_names(spec: PodSpec) -> Iterator[str]:
    """Yield the name in each reference of the pod to a secret; names can repeat."""
    yield from (reference.name for reference in spec.imagePullSecrets)
    containers: list[AnyContainer] = [*spec.initContainers, *spec.containers, *spec.ephemeralContainers]
    for container in containers:
        for source in container.envFrom:
            if source.secretRef:
                yield source.secretRef.name
        for variable in container.env:
            if variable.valueFrom and variable.valueFrom.secretKeyRef:
                yield variable.valueFrom.secretKeyRef.name
    for volume in spec.volumes:
        yield from _of_volume(volume)


def _of_volume(volume: Volume) -> Iterator[str]:
    if volume.azureFile:
        yield volume.azureFile.secretName
    for source in (volume.cephfs, volume.cinder, volume.flexVolume, volume.rbd, volume.scaleIO, volume.storageos):
        if source and source.secretRef:
            yield source.secretRef.name
    if volume.iscsi and volume.iscsi.secretRef:
        yield volume.iscsi.secretRef.name
    if volume.projected:
        yield from (source.secret.name for source in volume.projected.sources if source.secret)
    if volume.secret:
        yield volume.secret.secretName
    if volume.csi and volume.csi.nodePublishSecretRef:
        yield volume.csi.nodePublishSecretRef.name
