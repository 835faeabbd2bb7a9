"""Names of kinds, and whether an object may be taken for one of the expected kind (apimachinery's scheme)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_UNVERSIONED: Final = frozenset({"APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"})
"""Kinds of every group and version."""
_META: Final = frozenset(
    {"CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"}
)
"""Kinds of the groups and versions that a scheme has, and of v1."""


@dataclass(frozen=True, slots=True)
class KindName:
    """A group, version and kind."""

    group: str
    version: str
    kind: str

    @classmethod
    def of(cls, api_version: str, kind: str) -> "KindName":
        """The name that an object's apiVersion and kind spell."""
        group, _, version = api_version.rpartition("/")
        return cls(group, version, kind)

    @property
    def api_version(self) -> str:
        """What objects carry as apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True)
class KnownKinds:
    """The kinds of the reference, served here or not, by the scheme of the server that reads a body."""

    kinds: Mapping[str, frozenset[str]]
    """By apiVersion; those that every version has are not named."""
    internal_groups: Mapping[str, str]
    """Groups whose kinds the reference keeps as kinds of another group, without a version."""
    scheme: str = ""
    """The name of the scheme of all groups without one of their own."""
    own_schemes: Mapping[str, str] = field(default_factory=dict)
    """The names of the schemes of groups that have a server of their own, which knows nothing else."""

    def scheme_of(self, kind: KindName) -> str:
        """The scheme of the server that serves a kind."""
        return self.own_schemes.get(kind.group, self.scheme)

    def has(self, kind: KindName, scheme: str) -> bool:
        """Whether a scheme of the reference has such a kind."""
        if kind.kind in _UNVERSIONED:
            return True
        if kind.api_version == "v1" and kind.kind in _META:
            return True
        known = self.kinds.get(kind.api_version)
        return known is not None and self.scheme_of(kind) == scheme and (kind.kind in known or kind.kind in _META)

    def internal_name(self, kind: KindName) -> str:
        """How the reference names the kind without a version: ``core.Pod``."""
        group = self.internal_groups.get(kind.group, kind.group)
        return f"{group.split('.')[0] or 'core'}.{kind.kind}"


class WrongKind(Exception):
    """The object says that it is something else; the message is the reference's."""

    def __init__(self, found: KindName, message: str) -> None:
        super().__init__(message)
        self.found = found
        self.message = message


def unregistered(found: KindName, scheme: str) -> WrongKind:
    """There is no such kind in a scheme."""
    version = found.api_version
    return WrongKind(found, f'no kind "{found.kind}" is registered for version "{version}" in scheme "{scheme}"')


def unconvertible(found: KindName, internal_name: str) -> WrongKind:
    """There is such a kind, but it is another one."""
    version = "v1" if found.kind in _META or found.kind in _UNVERSIONED else found.version
    return WrongKind(found, f"converting ({version}.{found.kind}) to ({internal_name}): unknown conversion")
