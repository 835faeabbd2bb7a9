"""Directories and files within volumes that containers mount (``subPath`` and ``subPathExpr`` of a volume mount)."""

import posixpath
from collections.abc import Mapping
from datetime import datetime

from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.containers import VolumeMount
from memkube.controllers.kubelet.containers.environment import expanded, references
from memkube.controllers.kubelet.pod_context import AnyContainer, NotConfigured
from memkube.controllers.kubelet.programs.inodes import Contents, Inode, Mount
from memkube.controllers.kubelet.programs.variables import Environment


def with_sub_paths(container: AnyContainer, environment: Environment) -> AnyContainer:
    """Return the container with each ``subPathExpr`` replaced by a ``subPath``.

    `environment` has the container's environment variables. Raises NotConfigured, with the kubelet's message, if a
    variable is missing or the resulting path leads out of the volume.
    """
    if not any(mount.subPathExpr for mount in container.volumeMounts):
        return container
    variables = environment.declared()
    mounts = [_with_sub_path(mount, variables) if mount.subPathExpr else mount for mount in container.volumeMounts]
    return container.model_copy(update={"volumeMounts": mounts})


def _with_sub_path(mount: VolumeMount, variables: Mapping[str, str]) -> VolumeMount:
    missing = {name for name in references(mount.subPathExpr) if not variables.get(name)}
    if missing:
        raise NotConfigured(f"missing value for {', '.join(sorted(missing))}")
    path = expanded(mount.subPathExpr, variables)
    if path.startswith("/"):
        raise NotConfigured(f"error SubPath `{path}` must not be an absolute path")
    if ".." in path.split("/"):
        raise NotConfigured(f"unable to provision SubPath `{path}`: must not contain '..'")
    return mount.model_copy(update={"subPath": path, "subPathExpr": ""})


def sub_path_of(mount: VolumeMount) -> str:
    """Return the path in the volume that a mount shows, without ``.`` and empty elements; "" for the whole volume."""
    return posixpath.normpath(mount.subPath) if mount.subPath else ""


def make_sub_directories(
    container: AnyContainer, volumes: Mapping[str, Contents], mounts: Mapping[str, Mount], now: datetime
) -> None:
    """Create the directories that a container mounts from writable volumes by ``subPath`` and that do not exist.

    They get the permissions and group of the volume's root directory. `volumes` has the files of the writable volumes
    by volume name, and `mounts` the mounted volumes by mount path. Raises NotConfigured if a file has the path of a
    parent directory.
    """
    for mount in container.volumeMounts:
        if mount.subPath and mount.name in volumes:
            root = mounts[posixpath.normpath(mount.mountPath)]
            contents = volumes[mount.name]
            names = sub_path_of(mount).split("/")
            for end in range(1, len(names) + 1):
                path = "/".join(names[:end])
                new = Inode(bytearray(), root.mode, 0, root.gid, now.timestamp())
                if not contents.setdefault(path, new).is_directory and end < len(names):
                    raise NotConfigured(
                        f"failed to create subPath directory for volumeMount {quoted(mount.name)} of container "
                        f"{quoted(container.name)}"
                    )
