"""Files with tokens of a pod's service account, which change when the kubelet renews the tokens."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainer
    from memkube.apis.core.v1.podspec.types.projections import ServiceAccountTokenProjection
    from memkube.apis.core.v1.podspec.types.volumes import Volume


class TokenKey(NamedTuple):
    """Audience and lifetime of a token of the pod's service account. The empty audience means the API server."""

    audience: str
    seconds: int

    @classmethod
    def of(cls, source: "ServiceAccountTokenProjection") -> "TokenKey":
        """Return the key of the token that a projected volume requests."""
        return cls(source.audience, source.expirationSeconds or 0)


@dataclass(slots=True)
class PodToken:
    """A token of the pod's service account, or the reason why it could not be requested."""

    renews: datetime
    """Time at which the kubelet requests a new token."""
    data: bytes = b""
    problem: str = ""


PodTokens: TypeAlias = dict[TokenKey, PodToken]


def token_keys(volumes: Iterable["Volume"]) -> Iterator[TokenKey]:
    """Yield the audience and lifetime of each token that the volumes of a pod request."""
    for volume in volumes:
        for source in volume.projected.sources if volume.projected is not None else ():
            if source.serviceAccountToken is not None:
                yield TokenKey.of(source.serviceAccountToken)


def token_paths(container: "Container | EphemeralContainer", volumes: Iterable["Volume"]) -> dict[str, TokenKey]:
    """Return the token files of a container by path. As in Kubernetes, files mounted by ``subPath`` never change."""
    mounts = {mount.name: mount.mountPath for mount in container.volumeMounts if not mount.subPath}
    paths = {}
    for volume in volumes:
        for source in volume.projected.sources if volume.projected is not None and volume.name in mounts else ():
            if (token := source.serviceAccountToken) is not None:
                paths[posixpath.join(mounts[volume.name], token.path)] = TokenKey.of(token)
    return paths


class TokenFiles(Mapping[str, bytes]):
    """Read-only files of a container, some of which contain the current tokens of its pod."""

    __slots__ = ("_files", "_tokens", "paths")

    def __init__(self, files: Mapping[str, bytes], paths: Mapping[str, TokenKey], tokens: PodTokens) -> None:
        self._files = files
        self._tokens = tokens
        self.paths = paths
        """The token files by path."""

    def __getitem__(self, path: str) -> bytes:
        key = self.paths.get(path)
        token = self._tokens.get(key) if key is not None else None
        return self._files[path] if token is None else token.data

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
