"""The volume through which a pod gets its service account's token."""

from collections.abc import Callable
from typing import Final

from memkube.apis.core.v1.podspec.defaults import FILE_MODE
from memkube.apis.core.v1.podspec.types.containers import VolumeMount
from memkube.apis.core.v1.podspec.types.env import ObjectFieldSelector
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.projections import (
    ConfigMapProjection,
    DownwardAPIProjection,
    DownwardAPIVolumeFile,
    KeyToPath,
    ProjectedVolumeSource,
    ServiceAccountTokenProjection,
    VolumeProjection,
)
from memkube.apis.core.v1.podspec.types.volumes import Volume

_PREFIX: Final = "kube-api-access-"
_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_EXPIRATION_SECONDS: Final = 3607
"""An hour and a bit, by which the reference tells such tokens from those that somebody asked for."""


def mount_token(spec: PodSpec, generate_name: Callable[[str], str]) -> None:
    """Mounts the token in every container that has nothing else at its path."""
    existing = next((volume.name for volume in spec.volumes if volume.name.startswith(_PREFIX)), "")
    name = existing or generate_name(_PREFIX)
    mounted = False
    for container in (*spec.initContainers, *spec.containers):
        if not any(mount.mountPath == _PATH for mount in container.volumeMounts):
            mount = VolumeMount(name=name, readOnly=True, mountPath=_PATH)
            container.volumeMounts = [*container.volumeMounts, mount]
            mounted = True
    if mounted and not existing:
        spec.volumes = [*spec.volumes, Volume(name=name, projected=_sources())]


def _sources() -> ProjectedVolumeSource:
    token = ServiceAccountTokenProjection(path="token", expirationSeconds=_EXPIRATION_SECONDS)
    authority = ConfigMapProjection(name="kube-root-ca.crt", items=[KeyToPath(key="ca.crt", path="ca.crt")])
    field = ObjectFieldSelector(apiVersion="v1", fieldPath="metadata.namespace")
    namespace = DownwardAPIProjection(items=[DownwardAPIVolumeFile(path="namespace", fieldRef=field)])
    return ProjectedVolumeSource(
        defaultMode=FILE_MODE,
        sources=[
            VolumeProjection(serviceAccountToken=token),
            VolumeProjection(configMap=authority),
            VolumeProjection(downwardAPI=namespace),
        ],
    )
