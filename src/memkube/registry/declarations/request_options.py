"""The user of a request, the context of a write, and the options of lists and watches."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from memkube.apimachinery.fields import FieldSelector
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions

ANONYMOUS: Final = "system:anonymous"
AUTHENTICATED: Final = "system:authenticated"
UNAUTHENTICATED: Final = "system:unauthenticated"
NODES: Final = "system:nodes"
MASTERS: Final = "system:masters"
"""The group ``system:masters``, whose members may make every request."""
SERVICE_ACCOUNTS: Final = "system:serviceaccounts"


class Right(NamedTuple):
    """A right that a request needs: a verb on a resource, or on a path that is no resource."""

    verb: str
    group: str = ""
    resource: str = ""
    """Plural, with the subresource if there is one: ``pods`` or ``pods/log``. Empty for a path."""
    namespace: str = ""
    """Namespace of the request; empty for a cluster-scoped resource, and for a request across all namespaces."""
    name: str = ""
    path: str = ""


class Impersonator(NamedTuple):
    """The client that makes a request as another user, and the rights that it needs for that."""

    user: "User"
    rights: tuple[Right, ...]


@dataclass(frozen=True, slots=True)
class User:
    """An authenticated user (apiserver ``user.Info``). By default the anonymous user."""

    name: str = ANONYMOUS
    uid: str = ""
    groups: tuple[str, ...] = (UNAUTHENTICATED,)
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Additional attributes of the user. The keys are in lower case."""
    impersonator: Impersonator | None = field(default=None, compare=False, repr=False)
    """The client that impersonates this user; None if the user sent the request itself."""

    def __str__(self) -> str:
        """Return the user's name for logs."""
        return f"{self.name or '<empty>'}[{','.join(self.groups)}]" if self.groups else self.name or "<empty>"


NOBODY: Final = User()
"""The user of all requests if authentication is off."""
LOOPBACK: Final = User("system:apiserver", groups=(MASTERS, AUTHENTICATED))
"""The user of the server itself and of its controllers (``system:apiserver``)."""


@dataclass(slots=True)
class WriteContext:
    """The client, the options and the results of one write."""

    namespace: str = ""
    manager: str = "unknown"
    """Field manager of the write, recorded in managedFields."""
    dry_run: bool = False
    user: User = LOOPBACK
    """The user that sent the request. For writes without a request, the server itself."""
    warnings: list[str] = field(default_factory=list)
    """Warnings collected during the write, each of which is sent in a Warning header."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the request as JSON data, such as CreateOptions."""
    deletion: DeleteOptions | None = None
    """DeleteOptions of a deletion. Its grace period is replaced by the one that applies to the object."""
    of_collection: bool = False
    """True if the write is part of a request for a collection, such as a DELETE of a collection."""
    admitted: bool = False
    """True if admission has been done for the request already, so that this write skips admission."""
    deadline: float | None = None
    """Time at which the request times out, by ``time.monotonic``."""
    begun: int | None = None
    """Number of times that the storage had been restored to a snapshot when the write began (`Storage.restored`)."""
    audit_annotations: dict[str, str] = field(default_factory=dict)
    """Audit annotations of admission plugins, which the request log records."""
    name: str = ""
    """Name of the object in the URL of the request; empty if the URL has none, or for a write without a request."""
    rights: list[Right] = field(default_factory=list)
    """Rights that the write needs besides the one on its own verb, such as the right to approve for a signer."""

    def warn(self, text: str) -> None:
        """Add a warning, unless the same warning has been added already."""
        if text not in self.warnings:
            self.warnings.append(text)

    def annotate(self, key: str, value: str) -> None:
        """Add an audit annotation, unless the key exists already."""
        self.audit_annotations.setdefault(key, value)


class Selection(NamedTuple):
    """Label and field selectors of a list or watch. A selector that is None matches every object."""

    labels: LabelSelector | None = None
    fields: FieldSelector | None = None


_ALL: Final = Selection()


class ListOptions(NamedTuple):
    """Validated options of a list (metav1.ListOptions)."""

    selection: Selection = _ALL
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    resource_version_match: str = ""


EVERYTHING: Final = ListOptions()
"""Options that list the newest revision of every object."""


class WatchOptions(NamedTuple):
    """Validated options of a watch (metav1.ListOptions)."""

    selection: Selection = _ALL
    resource_version: str = ""
    bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_seconds: float | None = None
