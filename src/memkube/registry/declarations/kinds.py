"""Names of kinds, and the check that an object is of the expected kind (apimachinery ``runtime.Scheme``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from memkube.apimachinery.shown_values import quoted

_UNVERSIONED: Final = frozenset({"APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"})
"""Kinds that every group and version contains."""
_META: Final = frozenset(
    {"CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"}
)
"""Kinds of meta/v1 that the version v1 and every group and version of a scheme contain."""


@dataclass(frozen=True)
class KindName:
    """Name of a kind: its group, version and kind."""

    group: str
    version: str
    kind: str

    @classmethod
    def of(cls, api_version: str, kind: str) -> "KindName":
        """Return the KindName for an apiVersion, such as ``apps/v1``, and a kind."""
        group, _, version = api_version.rpartition("/")
        return cls(group, version, kind)

    @cached_property
    def api_version(self) -> str:
        """Group and version in the form of the field ``apiVersion``."""
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True)
class KnownKinds:
    """The kinds that kube-apiserver can decode.

    kube-apiserver consists of several servers, each with a ``runtime.Scheme`` of its own. Error messages name the
    scheme.
    """

    kinds: Mapping[str, frozenset[str]]
    """Kinds by apiVersion, without the kinds of meta/v1 that all versions share."""
    internal_groups: Mapping[str, str]
    """Groups whose internal Go types belong to another group, with the name of that group."""
    scheme: str = ""
    """Name of the ``runtime.Scheme`` with the kinds of all API groups that are missing in `own_schemes`."""
    own_schemes: Mapping[str, str] = field(default_factory=dict)
    """Name of the ``runtime.Scheme`` that contains the kinds of an API group, for groups with a scheme of their own."""

    def scheme_of(self, kind: KindName) -> str:
        """Return the name of the scheme to which a kind belongs."""
        return self.own_schemes.get(kind.group, self.scheme)

    def has(self, kind: KindName, scheme: str) -> bool:
        """Return True if the ``runtime.Scheme`` with the name `scheme` contains the kind."""
        if kind.kind in _UNVERSIONED:
            return True
        if kind.api_version == "v1" and kind.kind in _META:
            return True
        known = self.kinds.get(kind.api_version)
        return known is not None and self.scheme_of(kind) == scheme and (kind.kind in known or kind.kind in _META)

    def internal_name(self, kind: KindName) -> str:
        """Return the name of the internal Go type of a kind, such as ``core.Pod``."""
        group = self.internal_groups.get(kind.group, kind.group)
        return f"{group.split('.')[0] or 'core'}.{kind.kind}"

    def internal_kind_error(self, expected: KindName, kind: str) -> "WrongKind":
        """Return the error for an object without apiVersion that has the kind `kind` instead of `expected`.

        Without an apiVersion, kube-apiserver looks for `kind` in the internal version of the group of `expected`. The
        error says that it is not registered there, or that it cannot be converted to the expected kind.
        """
        versions = [one for one in self.kinds if KindName.of(one, "").group == expected.group]
        found = KindName(expected.group, "__internal", kind)
        if kind in _UNVERSIONED:
            return unconvertible(found, self.internal_name(expected))
        if not any(kind in self.kinds[version] for version in versions):
            group, scheme = quoted(expected.group), self.scheme_of(expected)
            why = f'no kind {quoted(kind)} is registered for the internal version of group {group} in scheme "{scheme}"'
            return WrongKind(found, why)
        own = "autoscaling.Scale" if kind == "Scale" else self.internal_name(found)
        return WrongKind(found, f"converting ({own}) to ({self.internal_name(expected)}): unknown conversion")


class WrongKind(Exception):
    """Raised with kube-apiserver's message if an object is not of the expected kind."""

    def __init__(self, found: KindName, message: str) -> None:
        super().__init__(message)
        self.found = found
        self.message = message


def unregistered(found: KindName, scheme: str) -> WrongKind:
    """Return the error for an object of the kind `found`, which kube-apiserver's ``runtime.Scheme`` `scheme` lacks."""
    kind, version = quoted(found.kind), quoted(found.api_version)
    return WrongKind(found, f'no kind {kind} is registered for version {version} in scheme "{scheme}"')


def unconvertible(found: KindName, internal_name: str) -> WrongKind:
    """Return the error for an object of the known kind `found`, which cannot be converted to the expected kind.

    `internal_name` is the Go name of the expected kind, such as ``core.Pod``.
    """
    version = "v1" if found.kind in _META or found.kind in _UNVERSIONED else found.version
    return WrongKind(found, f"converting ({version}.{found.kind}) to ({internal_name}): unknown conversion")


def kind_shown(api_version: str, kind: str) -> str:
    """Format an apiVersion and a kind as Go prints a GroupVersionKind: ``apps/v1, Kind=Deployment``."""
    if api_version.count("/") > 1:
        return "/, Kind="
    name = KindName.of(api_version, kind)
    return f"{name.group}/{name.version}, Kind={name.kind}"
