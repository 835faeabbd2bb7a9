"""Names of kinds, and the check whether an object is of the expected kind (apimachinery's scheme)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_UNVERSIONED: Final = frozenset({"APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"})
"""Kinds of every group and version."""
_META: Final = frozenset(
    {"CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"}
)
"""Kinds of v1 and of every group and version in a scheme."""


@dataclass(frozen=True, slots=True)
class KindName:
    """A group, version and kind."""

    group: str
    version: str
    kind: str

    @classmethod
    def of(cls, api_version: str, kind: str) -> "KindName":
        """Return the name from the apiVersion and kind of an object."""
        group, _, version = api_version.rpartition("/")
        return cls(group, version, kind)

    @property
    def api_version(self) -> str:
        """The ``apiVersion`` of objects of this kind."""
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True)
class KnownKinds:
    """The kinds of the reference, by scheme. Each of the reference's servers decodes bodies with one scheme."""

    kinds: Mapping[str, frozenset[str]]
    """Kinds by apiVersion, without the kinds that every version has."""
    internal_groups: Mapping[str, str]
    """Groups whose kinds have their internal types in another group, by name."""
    scheme: str = ""
    """Name of the scheme of all groups that are not in `own_schemes`."""
    own_schemes: Mapping[str, str] = field(default_factory=dict)
    """Names of the schemes of groups with a server of their own, by group."""

    def scheme_of(self, kind: KindName) -> str:
        """Return the scheme of the server that serves a kind."""
        return self.own_schemes.get(kind.group, self.scheme)

    def has(self, kind: KindName, scheme: str) -> bool:
        """Return True if the scheme has this kind."""
        if kind.kind in _UNVERSIONED:
            return True
        if kind.api_version == "v1" and kind.kind in _META:
            return True
        known = self.kinds.get(kind.api_version)
        return known is not None and self.scheme_of(kind) == scheme and (kind.kind in known or kind.kind in _META)

    def internal_name(self, kind: KindName) -> str:
        """Return the name of the internal type of a kind: ``core.Pod``."""
        group = self.internal_groups.get(kind.group, kind.group)
        return f"{group.split('.')[0] or 'core'}.{kind.kind}"


class WrongKind(Exception):
    """An object names another kind than the expected one. The message is the reference's."""

    def __init__(self, found: KindName, message: str) -> None:
        super().__init__(message)
        self.found = found
        self.message = message


def unregistered(found: KindName, scheme: str) -> WrongKind:
    """Return the error for a kind that is not in the scheme."""
    version = found.api_version
    return WrongKind(found, f'no kind "{found.kind}" is registered for version "{version}" in scheme "{scheme}"')


def unconvertible(found: KindName, internal_name: str) -> WrongKind:
    """Return the error for a kind that is in the scheme and cannot be converted into the expected one."""
    version = "v1" if found.kind in _META or found.kind in _UNVERSIONED else found.version
    return WrongKind(found, f"converting ({version}.{found.kind}) to ({internal_name}): unknown conversion")
