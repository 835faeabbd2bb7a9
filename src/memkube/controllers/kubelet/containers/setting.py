"""Inputs of the containers of a pod: configured behaviour, environment, user and files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.kubelet.containers.behavior import ContainerBehavior
from memkube.controllers.kubelet.containers.environment import container_environment
from memkube.controllers.kubelet.containers.image_references import base_name
from memkube.controllers.kubelet.containers.server_requests import PodTarget, Servers
from memkube.controllers.kubelet.pod_context import AnyContainer, NotConfigured, PodContext
from memkube.controllers.kubelet.programs.agnhost import AGNHOST, IMAGE_FILES
from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.inodes import Contents, Inode
from memkube.controllers.kubelet.programs.program import Network, Session
from memkube.controllers.kubelet.storage.mounts import container_mounts, has_read_only_root
from memkube.controllers.kubelet.storage.persistent_files import PersistentFiles
from memkube.controllers.kubelet.storage.sub_paths import make_sub_directories, with_sub_paths
from memkube.controllers.kubelet.storage.volumes import mounted_files, shared_volumes
from memkube.controllers.options import ControllerOptions

if TYPE_CHECKING:
    from memkube.controllers.kubelet.containers.images import ImageWait

Reporter: TypeAlias = Callable[[Report], None]


@dataclass(frozen=True, slots=True)
class Setting:
    """Inputs for the next steps of a pod's containers, such as the time, files, configured behaviour and network."""

    now: datetime
    context: PodContext
    volumes: Mapping[str, Contents]
    """Files of the writable volumes, by volume name."""
    written: Mapping[str, datetime]
    """Times at which the kubelet last wrote ConfigMap, Secret, downward API and projected volumes, by volume name."""
    persistent: PersistentFiles
    """The files in PersistentVolumes, by the uid of the volume."""
    behavior: Callable[[AnyContainer], ContainerBehavior]
    """Function that returns the configured behaviour of a container.

    It raises NotConfigured if the pod's annotation is invalid.
    """
    report: Reporter
    network: Network
    """The cluster network as this pod reaches it."""
    servers: Servers
    """The servers in pods, as the kubelet reaches them for probes and hooks."""
    resize_problem: Callable[[], str]
    """Function that returns why the node does not accept the resources in the pod's spec; empty if it accepts them."""
    memory: Callable[[], Mapping[str, int]]
    """Function that returns the bytes of memory that each running container of the pod uses, by name."""
    image_waits: "Mapping[str, ImageWait]"
    """Failed pulls of the pod's image volumes, by volume name."""
    options: ControllerOptions
    """Limits of a container's logs and files."""

    def session(self, container: AnyContainer) -> Session:
        """Return the session in which a container's program starts: its variables, files, user, clock and network.

        Raises NotConfigured if the container's configuration is invalid.
        """
        environment = container_environment(container, self.context, self.volumes)
        container = with_sub_paths(container, environment)
        mounts = container_mounts(container, self.context.pod, self.written, self.context.allocatable)
        make_sub_directories(container, self.volumes, mounts, self.now)
        self._verify_non_root(container)
        files = Files(
            mounted_files(container, self.context),
            shared_volumes(container, self.volumes),
            self.options.container_file_bytes,
            _files_of_image(container.image),
            mounts,
        )
        user, groups = self._user(container), self._groups(container)
        files.begin(user, groups, self.now.timestamp(), is_read_only=has_read_only_root(container))
        return Session(
            environment=environment,
            hostname=self.context.hostname,
            files=files,
            now=lambda: self.now,
            working_directory=container.workingDir or "/",
            user=user,
            groups=groups,
            network=self.network,
        )

    def target(self, container: AnyContainer) -> PodTarget:
        """Return a container with the servers that its probes and hooks can reach."""
        return PodTarget(container, self.context, self.servers)

    def _verify_non_root(self, container: AnyContainer) -> None:
        """Raise NotConfigured if the container must not run as root, but its spec sets root as its user.

        The user of the image is not known, so a container may start if its spec sets no user.
        """
        pod = self.context.pod
        contexts = [one for one in (container.securityContext, pod.spec.securityContext) if one is not None]
        must = next((one.runAsNonRoot for one in contexts if one.runAsNonRoot is not None), False)
        user = next((one.runAsUser for one in contexts if one.runAsUser is not None), None)
        if must and user == 0:
            where = f'pod: "{self.context.pod_name}", container: {container.name}'
            raise NotConfigured(f"container's runAsUser breaks non-root policy ({where})")

    def _user(self, container: AnyContainer) -> int:
        """Return the user ID of a container's processes.

        If neither pod nor container sets it, it is root's: the user of the image is not known.
        """
        contexts = container.securityContext, self.context.pod.spec.securityContext
        users = (context.runAsUser for context in contexts if context is not None)
        return next((user for user in users if user is not None), 0)

    def _groups(self, container: AnyContainer) -> tuple[int, ...]:
        """Return the group IDs of a container's processes. The primary group is root's if the pod sets none."""
        pod = self.context.pod.spec.securityContext
        groups = (context.runAsGroup for context in (container.securityContext, pod) if context is not None)
        primary = next((group for group in groups if group is not None), 0)
        if pod is None:
            return (primary,)
        return (primary, *pod.supplementalGroups, *(() if pod.fsGroup is None else (pod.fsGroup,)))


def _files_of_image(image: str) -> Contents:
    """Return a new copy of the files that memkube knows in an image, by path. The container may change this copy."""
    known = IMAGE_FILES if base_name(image) == AGNHOST else {}
    return {path: Inode(bytearray(content)) for path, content in known.items()}
