"""File systems that are mounted in a container, with their permissions (``pkg/volume``)."""

import posixpath
import stat
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Final

from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.defaults import FILE_MODE as DEFAULT_MODE
from memkube.apis.core.v1.podspec.types.containers import VolumeMount
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.programs.inodes import FILE_MODE, Mount
from memkube.controllers.kubelet.storage.sub_paths import sub_path_of

_DISK: Final = ("/dev/vda1", "ext4")
_MEMORY: Final = ("tmpfs", "tmpfs")
_SHARED_MEMORY: Final = 64 * 1024 * 1024
_SHARED_MEMORY_PATH: Final = "/dev/shm"  # noqa: S108  a path in a simulated container
_HOSTS: Final = "/etc/hosts"
_OF_RUNTIME: Final = ("/etc/hostname", "/etc/resolv.conf")
"""Files on the node that the container runtime mounts in every container."""
_OWN_TOKEN: Final = 0o600
"""Permissions of a service account token if the pod has an fsGroup, or all its containers run as the same user."""
_GROUP_WRITES: Final = 0o660
_GROUP_READS: Final = 0o440
_GROUP_ENTERS: Final = 0o110 | stat.S_ISGID


def container_mounts(
    container: AnyContainer, pod: Pod, written: Mapping[str, datetime], capacity: Mapping[str, str]
) -> dict[str, Mount]:
    """Return the file systems mounted in a container, by mount path.

    `written` has the times at which the kubelet last wrote ConfigMap, Secret, downward API and projected volumes, by
    volume name. `capacity` has the resources of the node.
    """
    disk, memory = (int(Quantity(capacity[name]).value) for name in ("ephemeral-storage", "memory"))
    sizes = {_DISK: disk, _MEMORY: memory}
    mounts = dict(_of_every_container(disk, container.terminationMessagePath, has_read_only_root(container)))
    volumes = {volume.name: volume for volume in pod.spec.volumes}
    for mount in container.volumeMounts:
        if mount.name in volumes:
            at = written.get(mount.name)
            mounted = _mount(mount, volumes[mount.name], pod, at)
            mounts[posixpath.normpath(mount.mountPath)] = mounted._replace(size=sizes[mounted.source, mounted.kind])
    return mounts


@cache
def _of_every_container(disk: int, message_path: str, is_read_only: bool) -> Mapping[str, Mount]:
    """Return the mounts that every container has, by mount path. Containers share the result, to save memory.

    `disk` is the size of the node's disk in bytes, on which files such as ``/etc/hosts`` are. `message_path` is the
    path of the file for the termination message, to which every user may write. `is_read_only` is True if the root file
    system of the container is read-only.
    """
    shared_memory = Mount("shm", "tmpfs", stat.S_IFDIR | stat.S_ISVTX | 0o777, size=_SHARED_MEMORY)
    message = Mount(*_DISK, stat.S_IFREG | 0o666, size=disk)
    hosts, of_runtime = (Mount(*_DISK, FILE_MODE, is_read_only=only, size=disk) for only in (False, is_read_only))
    files = {_HOSTS: hosts, message_path: message, **dict.fromkeys(_OF_RUNTIME, of_runtime)}
    return {**files, _SHARED_MEMORY_PATH: shared_memory}


def has_read_only_root(container: AnyContainer) -> bool:
    """Return True if the container's root file system is read-only (``readOnlyRootFilesystem``)."""
    return container.securityContext is not None and bool(container.securityContext.readOnlyRootFilesystem)


def has_content(volume: Volume) -> bool:
    """Return True if the kubelet writes the files of a volume: ConfigMap, Secret, downward API or projected."""
    return any((volume.configMap, volume.secret, volume.downwardAPI, volume.projected))


def _mount(mount: VolumeMount, volume: Volume, pod: Pod, written: datetime | None) -> Mount:
    group = _group(pod)
    if not has_content(volume):
        mode = stat.S_IFDIR | (0o777 if volume.emptyDir is not None else 0o755)
        if group:
            mode |= _GROUP_WRITES | _GROUP_ENTERS
        in_memory = volume.emptyDir is not None and volume.emptyDir.medium == "Memory"
        file_system = _MEMORY if in_memory else _DISK
        if in_memory:
            mode |= stat.S_ISVTX
        return Mount(*file_system, mode, group, is_read_only=bool(mount.readOnly) or volume.image is not None)
    file_system = _DISK if volume.configMap is not None else _MEMORY
    mode = stat.S_IFDIR | 0o777 | (_GROUP_ENTERS if group else 0) | (stat.S_ISVTX if file_system is _MEMORY else 0)
    modes = {path: bits | (_GROUP_READS if group else 0) for path, bits in _modes(volume, pod)}
    users = {path: user for path in _token_paths(volume) if (user := _only_user(pod.spec))}
    if mount.subPath:
        modes, users = {"*": modes["*"], **_below(modes, sub_path_of(mount))}, _below(users, sub_path_of(mount))
    since = written.timestamp() if written is not None else 0.0
    directory = "" if mount.subPath or written is None else _directory(pod.metadata.uid, volume.name, written)
    return Mount(*file_system, mode, group, since, directory, modes, users, is_read_only=True)


def _below(values: Mapping[str, int], sub_path: str) -> dict[str, int]:
    """Return the values of the file `sub_path`, or of the files in this directory, by path relative to `sub_path`."""
    inside = {path: value for path, value in values.items() if f"{path}/".startswith(f"{sub_path}/")}
    return {path.removeprefix(sub_path).removeprefix("/"): value for path, value in inside.items()}


def _directory(uid: str, volume: str, written: datetime) -> str:
    """Return the name of the directory with the files of a volume that the kubelet wrote at the time `written`.

    The name ends with a number, which is random in Kubernetes, and computed from the arguments here.
    """
    digest = sha256(f"{uid}/{volume}/{written.isoformat()}".encode()).digest()
    return f"..{written:%Y_%m_%d_%H_%M_%S}.{int.from_bytes(digest[:4], 'big')}"


def _group(pod: Pod) -> int:
    context = pod.spec.securityContext
    return (context.fsGroup or 0) if context is not None else 0


def _only_user(spec: PodSpec) -> int:
    """Return the user ID that all containers of a pod run as (``FsUserFrom``).

    The result is 0 if the user IDs differ or a container sets none.
    """
    users = set()
    for container in (*spec.initContainers, *spec.containers, *spec.ephemeralContainers):
        contexts = (container.securityContext, spec.securityContext)
        users.add(next((one.runAsUser for one in contexts if one is not None and one.runAsUser is not None), 0))
    return users.pop() if len(users) == 1 else 0


def _token_paths(volume: Volume) -> Iterator[str]:
    for source in volume.projected.sources if volume.projected is not None else ():
        if source.serviceAccountToken is not None:
            yield source.serviceAccountToken.path


def _modes(volume: Volume, pod: Pod) -> Iterator[tuple[str, int]]:
    """Yield pairs of a file's path in a volume and its permissions; the path ``*`` stands for all other files."""
    if (config_map := volume.configMap) is not None:
        default, items = config_map.defaultMode, [(item.path, item.mode) for item in config_map.items]
    elif (secret := volume.secret) is not None:
        default, items = secret.defaultMode, [(item.path, item.mode) for item in secret.items]
    elif (downward := volume.downwardAPI) is not None:
        default, items = downward.defaultMode, [(item.path, item.mode) for item in downward.items]
    else:
        yield from _projected_modes(volume, pod)
        return
    yield "*", DEFAULT_MODE if default is None else default
    yield from ((path, mode) for path, mode in items if mode is not None)


def _projected_modes(volume: Volume, pod: Pod) -> Iterator[tuple[str, int]]:
    assert volume.projected is not None
    default = volume.projected.defaultMode
    yield "*", DEFAULT_MODE if default is None else default
    for source in volume.projected.sources:
        for files in (source.configMap, source.secret, source.downwardAPI):
            if files is not None:
                yield from ((item.path, item.mode) for item in files.items if item.mode is not None)
    if _group(pod) or _only_user(pod.spec):
        yield from ((path, _OWN_TOKEN) for path in _token_paths(volume))
