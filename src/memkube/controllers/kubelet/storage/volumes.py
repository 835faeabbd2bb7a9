"""Creates the files in the volumes of a pod, from ConfigMaps, Secrets, fields of the pod and tokens."""

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from memkube.apimachinery.field_errors import aggregate_message
from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainer
from memkube.apis.core.v1.podspec.types.projections import (
    ConfigMapProjection,
    DownwardAPIVolumeFile,
    KeyToPath,
    VolumeProjection,
)
from memkube.apis.core.v1.podspec.types.volumes import ConfigMapVolumeSource, Volume
from memkube.controllers.kubelet.containers.environment import container_resource, pod_field
from memkube.controllers.kubelet.network_files import (
    HOST_NAME,
    HOSTS,
    RESOLVER,
    hosts_of_host_network,
    hosts_of_node,
    hosts_of_pod,
    resolver_of_pod,
)
from memkube.controllers.kubelet.pod_context import NotConfigured, PodContext
from memkube.controllers.kubelet.programs.inodes import Contents, SharedVolume
from memkube.controllers.kubelet.resources.sysctls import sysctl_files
from memkube.controllers.kubelet.storage.claims import unattached_claims, unmounted_claims
from memkube.controllers.kubelet.storage.sub_paths import sub_path_of
from memkube.controllers.kubelet.storage.token_files import TokenFiles, TokenKey, token_paths

_MANAGED: Final = frozenset({HOSTS, HOST_NAME, RESOLVER})
_NOTHING: Final[Mapping[str, bytes]] = {}


class NotMounted(Exception):
    """Raised if a volume of a pod cannot be mounted. The text is the message of an Event about the pod."""


class NotAttached(NotMounted):
    """Raised if a volume of a pod is not attached to its node yet.

    The text is the message of an Event if the wait takes too long.
    """


def check_volumes(context: PodContext) -> None:
    """Raise NotMounted if a volume of a pod cannot be mounted, or NotAttached if it is not attached yet.

    `context` has the pod, and the objects that its volumes refer to.
    """
    if problem := unmounted_claims(context):
        raise NotMounted(problem)
    if problem := unattached_claims(context):
        raise NotAttached(problem)
    for problem in content_problems(context).values():
        raise NotMounted(problem)


def content_problems(context: PodContext) -> Mapping[str, str]:
    """Return a message for an Event about each volume of a pod whose files cannot be read, by volume name.

    `context` has the pod, and the ConfigMaps, Secrets and tokens that its volumes refer to.
    """
    problems = {}
    for volume in context.pod.spec.volumes:
        try:
            _contents(volume, context)
        except NotConfigured as missing:
            problems[volume.name] = f'MountVolume.SetUp failed for volume "{volume.name}" : {missing}'
    return problems


class MountedFiles(Mapping[str, bytes]):
    """The read-only files of a container by path: files in its volumes, and files such as ``/etc/hosts``.

    Files outside of volumes are created when they are read: every container has them, but few containers read them.
    A container has its own files instead if it mounts a volume at their paths.
    """

    __slots__ = ("_aliases", "_domain", "_files", "_hostname", "_managed", "_pod_hostname", "_pod_ip", "_resolver")

    def __init__(
        self,
        container: Container | EphemeralContainer,
        context: PodContext,
        before: Mapping[str, bytes] | None = None,
        failed: Collection[str] = (),
    ) -> None:
        """Read the volumes of a container that starts (`before` is None), or update those of a running container.

        `before` has the files of the running container. An update does not change the files of ``subPath`` mounts and
        of the `failed` volumes. `context` has the pod and the objects that its volumes refer to.

        Raises NotConfigured if a volume refers to a missing object.
        """
        spec = context.pod.spec
        self._hostname = context.hostname
        self._pod_hostname = "" if spec.hostNetwork else context.pod_hostname
        self._domain = context.domain
        self._pod_ip = context.pod_ip
        self._aliases = spec.hostAliases or ()
        self._resolver = resolver_of_pod(context)
        mounted = {posixpath.normpath(mount.mountPath) for mount in container.volumeMounts}
        self._managed = _MANAGED if _MANAGED.isdisjoint(mounted) else _MANAGED - mounted
        of_volumes = _files_of_volumes(container, context, before, failed)
        self._files: Mapping[str, bytes] = {**sysctl_files(spec), **of_volumes} or _NOTHING

    def __getitem__(self, path: str) -> bytes:
        if path in self._files:
            return self._files[path]
        if path not in self._managed:
            raise KeyError(path)
        if path == HOST_NAME:
            return f"{self._hostname}\n".encode()
        if path == RESOLVER:
            return self._resolver.encode()
        if not self._pod_hostname:
            return hosts_of_host_network(self._pod_ip, self._hostname, self._aliases).encode()
        return hosts_of_pod(self._pod_ip, self._pod_hostname, self._domain, self._aliases).encode()

    def __iter__(self) -> Iterator[str]:
        return chain(sorted(self._managed - self._files.keys()), self._files)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def mounted_files(
    container: Container | EphemeralContainer,
    context: PodContext,
    before: Mapping[str, bytes] | None = None,
    failed: Collection[str] = (),
) -> Mapping[str, bytes]:
    """Return the read-only files of a container by path: those in its volumes, and files such as ``/etc/hosts``.

    `context` has the pod, its current tokens, and the objects that its volumes refer to. `before` is None for a
    container that starts. For a running container, `before` has its present files; those in `failed` volumes are
    returned unchanged. Raises NotConfigured if a volume refers to a missing object.
    """
    files = MountedFiles(container, context, before, failed)
    paths = token_paths(container, context.pod.spec.volumes)
    return TokenFiles(files, paths, context.tokens) if paths else files


def _files_of_volumes(
    container: Container | EphemeralContainer,
    context: PodContext,
    before: Mapping[str, bytes] | None,
    failed: Collection[str],
) -> dict[str, bytes]:
    volumes = {volume.name: volume for volume in context.pod.spec.volumes}
    mounted: dict[str, bytes] = {}
    for mount in container.volumeMounts:
        if mount.name not in volumes or volumes[mount.name].emptyDir is not None:
            continue
        if before is not None and (mount.subPath or mount.name in failed):
            below = mount.mountPath.rstrip("/") + "/"
            mounted |= {path: before[path] for path in before if path == mount.mountPath or path.startswith(below)}
            continue
        for path, data in _contents(volumes[mount.name], context).items():
            sub_path = sub_path_of(mount)
            if path == sub_path:
                mounted[mount.mountPath] = data
            elif path.startswith(below := f"{sub_path}/" if sub_path else ""):
                mounted[posixpath.join(mount.mountPath, path.removeprefix(below))] = data
    return mounted


def changed_volumes(
    container: Container | EphemeralContainer, before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> Iterator[str]:
    """Yield the names of the container's volumes whose files differ between the mappings `before` and `after`."""
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    for mount in container.volumeMounts:
        below = mount.mountPath.rstrip("/") + "/"
        if any(path.startswith(below) for path in changed):
            yield mount.name


def shared_volumes(
    container: Container | EphemeralContainer, written: Mapping[str, Contents]
) -> dict[str, SharedVolume]:
    """Return the writable volumes of a container by mount path, mounts within other mounts first.

    `written` has the files of the volumes by volume name.
    """
    shared = {}
    for mount in sorted(container.volumeMounts, key=lambda mount: len(mount.mountPath), reverse=True):
        if mount.name in written:
            shared[posixpath.normpath(mount.mountPath)] = SharedVolume(written[mount.name], sub_path_of(mount))
    return shared


def writable_volumes(volumes: Sequence[Volume]) -> dict[str, Contents]:
    """Return an empty dict of files for each ``emptyDir`` volume of a pod, by volume name."""
    return {volume.name: {} for volume in volumes if volume.emptyDir is not None}


def _contents(volume: Volume, context: PodContext) -> Mapping[str, bytes]:
    """Return the files of a ConfigMap, Secret, downward API or projected volume, by their paths in the volume.

    `context` has the pod with the volume, its tokens, and the objects that the volume refers to.
    Raises NotConfigured if an object that the volume refers to is missing.
    """
    if volume.configMap is not None:
        return _of_config_map(volume.configMap, context)
    if (secret := volume.secret) is not None:
        return _of_secret(secret.secretName, secret.items, context, optional=secret.optional)
    if volume.downwardAPI is not None:
        return _downward(volume.downwardAPI.items, context)
    if volume.hostPath is not None and volume.hostPath.path == HOSTS:
        # Of all files of a node, memkube only knows the contents of /etc/hosts.
        return {"": hosts_of_node(context.host_ip, context.pod.spec.nodeName).encode()}
    return _projected(volume.projected.sources, context) if volume.projected is not None else {}


def _projected(sources: Sequence[VolumeProjection], context: PodContext) -> Mapping[str, bytes]:
    files: dict[str, bytes] = {}
    problems: list[str] = []
    for source in sources:
        try:
            files |= _of_source(source, context)
        except NotConfigured as problem:
            problems.append(str(problem))
    if problems:
        raise NotConfigured(aggregate_message(problems))
    return files


def _of_source(source: VolumeProjection, context: PodContext) -> Mapping[str, bytes]:
    if source.configMap is not None:
        return _of_config_map(source.configMap, context)
    if (secret := source.secret) is not None:
        return _of_secret(secret.name, secret.items, context, optional=secret.optional)
    if (token := source.serviceAccountToken) is not None:
        return {token.path: context.token(TokenKey.of(token))}
    return _downward(source.downwardAPI.items, context) if source.downwardAPI is not None else {}


def _of_config_map(source: ConfigMapVolumeSource | ConfigMapProjection, context: PodContext) -> Mapping[str, bytes]:
    data = context.config_map_data(source.name, optional=source.optional)
    if missing := _missing_key(data, source.items, optional=source.optional):
        raise NotConfigured(f"configmap references non-existent config key: {missing}")
    return _selected(data, source.items)


def _of_secret(
    name: str, items: Sequence[KeyToPath], context: PodContext, *, optional: bool | None
) -> Mapping[str, bytes]:
    data = context.secret_data(name, optional=optional)
    if missing := _missing_key(data, items, optional=optional):
        raise NotConfigured(f"references non-existent secret key: {missing}")
    return _selected(data, items)


def _missing_key(data: Mapping[str, bytes] | None, items: Sequence[KeyToPath], *, optional: bool | None) -> str:
    if data is None or optional:
        return ""
    return next((item.key for item in items if item.key not in data), "")


def _selected(data: Mapping[str, bytes] | None, items: Sequence[KeyToPath]) -> Mapping[str, bytes]:
    if data is None or not items:
        return data or {}
    return {item.path: data[item.key] for item in items if item.key in data}


def _downward(items: Sequence[DownwardAPIVolumeFile], context: PodContext) -> Mapping[str, bytes]:
    files = {}
    for item in items:
        if item.fieldRef is not None:
            files[item.path] = pod_field(item.fieldRef.fieldPath, context).encode()
        elif item.resourceFieldRef is not None:
            any_container = context.pod.spec.containers[0]
            files[item.path] = container_resource(item.resourceFieldRef, any_container, context).encode()
    return files
