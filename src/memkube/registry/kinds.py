"""Names of kinds, and whether an object may be taken for one of the expected kind (apimachinery's scheme)."""

from collections.abc import Mapping
from dataclasses import dataclass

_SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'


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
    """The kinds of the reference, served here or not."""

    kinds: Mapping[str, frozenset[str]]
    """By apiVersion."""
    internal_groups: Mapping[str, str]
    """Groups whose kinds the reference keeps as kinds of another group, without a version."""

    def has(self, kind: KindName) -> bool:
        """Whether the reference has such a kind."""
        return kind.kind in self.kinds.get(kind.api_version, ())

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


def unregistered(found: KindName) -> WrongKind:
    """There is no such kind."""
    return WrongKind(found, f'no kind "{found.kind}" is registered for version "{found.api_version}" {_SCHEME}')


def unconvertible(found: KindName, internal_name: str) -> WrongKind:
    """There is such a kind, but it is another one."""
    return WrongKind(found, f"converting ({found.version}.{found.kind}) to ({internal_name}): unknown conversion")
