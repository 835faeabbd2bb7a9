"""What a request brings along besides the object: who asks, the circumstances of a write, what a read asks for."""

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
    """A user; without arguments, the one whose name nobody has checked."""

    name: str = ANONYMOUS
    uid: str = ""
    groups: tuple[str, ...] = (UNAUTHENTICATED,)
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What else is known of the user, by keys in lower case."""

    def __str__(self) -> str:
        """As logs show it."""
        return f"{self.name or '<empty>'}[{','.join(self.groups)}]" if self.groups else self.name or "<empty>"


NOBODY: Final = User()
"""Whoever comes, as long as nobody is authenticated."""
LOOPBACK: Final = User("system:apiserver", groups=("system:masters", AUTHENTICATED))
"""The server itself, and what runs inside it."""


@dataclass(slots=True)
class WriteContext:
    """The circumstances of one write."""

    namespace: str = ""
    manager: str = "unknown"
    """Who the changed fields belong to (managedFields)."""
    dry_run: bool = False
    user: User = LOOPBACK
    """Who asks; the server itself where no request does."""
    warnings: list[str] = field(default_factory=list)
    """Texts for Warning headers, gathered on the way."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the request's options say, as JSON data."""
    deletion: DeleteOptions | None = None
    """The options of a deletion, in which it notes what it comes to."""
    of_collection: bool = False
    """Whether the write is one of many that nobody has named."""
    admitted: bool = False
    """Whether it is part of what admission has been asked about already, so that nobody is asked again."""
    deadline: float | None = None
    """Until when there has to be an answer, by ``time.monotonic``."""
    begun: int | None = None
    """After which restore of the storage it began (`Storage.restored`); set by the first verb that is called."""
    audit_annotations: dict[str, str] = field(default_factory=dict)
    """What plugins have to say about the request in the log of requests."""

    def warn(self, text: str) -> None:
        """Adds a warning once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def annotate(self, key: str, value: str) -> None:
        """Adds to what the log of requests tells; what has been said under a key stays."""
        self.audit_annotations.setdefault(key, value)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects a list or watch is about. None selects everything."""

    labels: LabelSelector | None = None
    fields: FieldSelector | None = None


_ALL: Final = Selection()


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Options of a list, checked against each other already (metav1.ListOptions)."""

    selection: Selection = _ALL
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    resource_version_match: str = ""


EVERYTHING: Final = ListOptions()
"""Every object as it is now: what rules ask for, some with each write."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Options of a watch (metav1.ListOptions)."""

    selection: Selection = _ALL
    resource_version: str = ""
    bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_seconds: float | None = None
