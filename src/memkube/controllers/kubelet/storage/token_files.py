"""Files with tokens of a pod's service account, which the kubelet replaces when it renews the tokens.

For a pod without programs, the signature of a token takes more CPU time than everything else. So the kubelet requests
the tokens of such a pod only when a client runs the first program in it.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from memkube.apis.core.v1.podspec.types.containers import CommonContainer, Container, EphemeralContainer
    from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
    from memkube.apis.core.v1.podspec.types.projections import ServiceAccountTokenProjection
    from memkube.apis.core.v1.podspec.types.volumes import Volume


class TokenKey(NamedTuple):
    """Audience and lifetime of a requested service account token. The empty audience means the API server."""

    audience: str
    seconds: int

    @classmethod
    def of(cls, source: "ServiceAccountTokenProjection") -> "TokenKey":
        """Return audience and lifetime of the token that a projected volume requests."""
        return cls(source.audience, source.expirationSeconds or 0)


@dataclass(slots=True)
class PodToken:
    """A service account token of a pod, or the reason why the token could not be requested."""

    renews: datetime | None
    """Time at which the kubelet requests a new token; None if it waits for the first program that runs in the pod."""
    data: bytes = b""
    problem: str = ""


PodTokens: TypeAlias = dict[TokenKey, PodToken]


def token_keys(volumes: Iterable["Volume"]) -> Iterator[TokenKey]:
    """Yield audience and lifetime of each token that a pod's projected volumes request."""
    for volume in volumes:
        for source in volume.projected.sources if volume.projected is not None else ():
            if source.serviceAccountToken is not None:
                yield TokenKey.of(source.serviceAccountToken)


def runs_programs(spec: "PodSpec") -> bool:
    """Return True if containers of a pod run programs, which may read token files.

    A program is a command of a container, a probe or a lifecycle hook.
    """
    containers = (*spec.initContainers, *spec.containers, *spec.ephemeralContainers)
    return any(_runs_programs(container) for container in containers)


def _runs_programs(container: "CommonContainer") -> bool:
    hooks = container.lifecycle
    handlers = (
        container.startupProbe,
        container.livenessProbe,
        container.readinessProbe,
        *((hooks.postStart, hooks.preStop) if hooks is not None else ()),
    )
    return bool(container.command or container.args) or any(handler and handler.exec for handler in handlers)


def has_fixed_token(spec: "PodSpec") -> bool:
    """Return True if a container of the pod mounts a token by ``subPath``, so that the token file is never renewed."""
    volumes = {volume.name for volume in spec.volumes if any(token_keys([volume]))}
    containers = (*spec.initContainers, *spec.containers, *spec.ephemeralContainers)
    return any(
        (mount.subPath or mount.subPathExpr) and mount.name in volumes
        for one in containers
        for mount in one.volumeMounts
    )


def token_paths(container: "Container | EphemeralContainer", volumes: Iterable["Volume"]) -> dict[str, TokenKey]:
    """Return the audience and lifetime of the token in each token file of a container, by the path of the file.

    `volumes` are the pod's volumes. Files mounted by ``subPath`` are left out: as in Kubernetes, they never change.
    """
    mounts = {mount.name: mount.mountPath for mount in container.volumeMounts if not mount.subPath}
    paths = {}
    for volume in volumes:
        for source in volume.projected.sources if volume.projected is not None and volume.name in mounts else ():
            if (token := source.serviceAccountToken) is not None:
                paths[posixpath.join(mounts[volume.name], token.path)] = TokenKey.of(token)
    return paths


class TokenFiles(Mapping[str, bytes]):
    """Read-only files of a container. Token files among them always contain the current tokens of the pod."""

    __slots__ = ("_files", "_tokens", "paths")

    def __init__(self, files: Mapping[str, bytes], paths: Mapping[str, TokenKey], tokens: PodTokens) -> None:
        self._files = files
        self._tokens = tokens
        self.paths = paths
        """Keys of the tokens in the token files, by the path of the file."""

    def __getitem__(self, path: str) -> bytes:
        key = self.paths.get(path)
        token = self._tokens.get(key) if key is not None else None
        return self._files[path] if token is None else token.data

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
