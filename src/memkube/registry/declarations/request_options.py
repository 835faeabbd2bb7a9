"""The circumstances of a request besides its object: the user, the context of a write, and the options of a read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from memkube.apimachinery.fields import FieldSelector
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions

ANONYMOUS: Final = "system:anonymous"
AUTHENTICATED: Final = "system:authenticated"
UNAUTHENTICATED: Final = "system:unauthenticated"
NODES: Final = "system:nodes"
SERVICE_ACCOUNTS: Final = "system:serviceaccounts"


@dataclass(frozen=True, slots=True)
class User:
    """A user. The default is the anonymous user."""

    name: str = ANONYMOUS
    uid: str = ""
    groups: tuple[str, ...] = (UNAUTHENTICATED,)
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further attributes of the user, by keys in lower case."""

    def __str__(self) -> str:
        """Return the user as in logs."""
        return f"{self.name or '<empty>'}[{','.join(self.groups)}]" if self.groups else self.name or "<empty>"


NOBODY: Final = User()
"""The user of every request while authentication is off."""
LOOPBACK: Final = User("system:apiserver", groups=("system:masters", AUTHENTICATED))
"""The server itself and its controllers."""


@dataclass(slots=True)
class WriteContext:
    """The circumstances of one write."""

    namespace: str = ""
    manager: str = "unknown"
    """Field manager of the changed fields (managedFields)."""
    dry_run: bool = False
    user: User = LOOPBACK
    """The user who sent the request; the server itself for a write without a request."""
    warnings: list[str] = field(default_factory=list)
    """Texts of Warning headers, collected during the write."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the request as JSON data."""
    deletion: DeleteOptions | None = None
    """Options of a deletion. The deletion updates them with the grace period that it uses."""
    of_collection: bool = False
    """True if the write is one of several that a request for a collection causes."""
    admitted: bool = False
    """True if the write is part of one that has been admitted, and needs no admission of its own."""
    deadline: float | None = None
    """Time by which the request must be answered, by ``time.monotonic``."""
    begun: int | None = None
    """Number of restores of the storage before the write (`Storage.restored`); set by the first verb."""
    audit_annotations: dict[str, str] = field(default_factory=dict)
    """Annotations that plugins add to the request in the request log."""

    def warn(self, text: str) -> None:
        """Add a warning, unless it has been added already."""
        if text not in self.warnings:
            self.warnings.append(text)

    def annotate(self, key: str, value: str) -> None:
        """Add an annotation to the request log, unless the key has one already."""
        self.audit_annotations.setdefault(key, value)


@dataclass(frozen=True, slots=True)
class Selection:
    """The selectors of a list or watch. None selects every object."""

    labels: LabelSelector | None = None
    fields: FieldSelector | None = None


_ALL: Final = Selection()


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Options of a list, validated (metav1.ListOptions)."""

    selection: Selection = _ALL
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    resource_version_match: str = ""


EVERYTHING: Final = ListOptions()
"""Options of a list of every object in its newest revision."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Options of a watch (metav1.ListOptions)."""

    selection: Selection = _ALL
    resource_version: str = ""
    bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_seconds: float | None = None
