"""The user of a request, the context of a write, and the options of lists and watches."""

from collections.abc import Awaitable, Callable, Mapping
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
"""The group ``system:masters``, whose members are allowed every request."""
SERVICE_ACCOUNTS: Final = "system:serviceaccounts"


class Right(NamedTuple):
    """A right that a request needs: a verb on a resource, or on a URL path that does not belong to a resource."""

    verb: str
    group: str = ""
    resource: str = ""
    """Plural of the resource, with the subresource if the request has one: ``pods`` or ``pods/log``.

    Empty for a right on a path.
    """
    namespace: str = ""
    """Namespace of the request; empty for a cluster-scoped resource, and for a request across all namespaces."""
    name: str = ""
    path: str = ""


class Impersonator(NamedTuple):
    """The client that sends a request as another user, and the rights that it needs to impersonate that user."""

    user: "User"
    rights: tuple[Right, ...]


@dataclass(frozen=True, slots=True)
class User:
    """An authenticated user (apiserver ``user.Info``). The default is the anonymous user."""

    name: str = ANONYMOUS
    uid: str = ""
    groups: tuple[str, ...] = (UNAUTHENTICATED,)
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Extra attributes of the user (``extra`` of a UserInfo). The keys are in lower case."""
    impersonator: Impersonator | None = field(default=None, compare=False, repr=False)
    """The client that impersonates this user; None if this user sent the request."""

    def __str__(self) -> str:
        """Return the user's name and groups for logs."""
        return f"{self.name or '<empty>'}[{','.join(self.groups)}]" if self.groups else self.name or "<empty>"


NOBODY: Final = User()
"""The anonymous user, which sends all requests if authentication is off."""
LOOPBACK: Final = User("system:apiserver", groups=(MASTERS, AUTHENTICATED))
"""The user of the server itself and of its controllers (``system:apiserver``)."""


@dataclass(slots=True)
class WriteContext:
    """The client, the options and the results of one write to the registry."""

    namespace: str = ""
    manager: str = "unknown"
    """Field manager of the write, recorded in managedFields."""
    dry_run: bool = False
    is_patch: bool = False
    """True if the request is a PATCH, so that authorizers know it by the verb ``patch`` and not ``update``."""
    user: User = LOOPBACK
    """The user that sent the request; the server itself if the write has no request."""
    warnings: list[str] = field(default_factory=list)
    """Warnings collected during the write. The response has a Warning header for each of them."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the request as JSON data, such as CreateOptions."""
    deletion: DeleteOptions | None = None
    """DeleteOptions of the deletion; None for other writes.

    The registry replaces the grace period by the one that applies to the object.
    """
    of_collection: bool = False
    """True if the write is one of those that a request for a collection causes, such as a deletecollection."""
    admitted: bool = False
    """True if this write skips admission, because admission has already accepted the request."""
    deadline: float | None = None
    """Time at which the request times out, as a value of ``time.monotonic``; None if it does not time out."""
    begun: int | None = None
    """Revision of the storage's last restore when the write began (`Storage.restored`); None until it begins."""
    audit_annotations: dict[str, str] = field(default_factory=dict)
    """Audit annotations that admission plugins have added. The request log records them."""
    detailed_annotations: set[str] = field(default_factory=set)
    """Keys of those audit annotations that contain parts of the object.

    Audit events contain them only if their level is at least ``Request``.
    """
    name: str = ""
    """Name of the object in the request's URL; empty if the URL has no name or the write has no request."""
    rights: list[Right] = field(default_factory=list)
    """Rights that the write needs in addition to its own verb, such as the right to approve for a signer."""

    validation: Callable[[], Awaitable[None]] | None = None
    """Function that runs validating admission of a POST that stores no object; None for other writes, or once it ran.
    """

    async def validate_admission(self) -> None:
        """Run validating admission of a POST that stores no object, unless it has run.

        Raises ApiError if a plugin rejects the request.
        """
        if self.validation is not None:
            validate, self.validation = self.validation, None
            await validate()

    def warn(self, text: str) -> None:
        """Add a warning, unless the same warning has been added already."""
        if text not in self.warnings:
            self.warnings.append(text)

    def annotate(self, key: str, value: str, *, is_detailed: bool = False) -> None:
        """Add an audit annotation, unless the write already has one with this key.

        `is_detailed` is True if the annotation contains parts of the object: see `detailed_annotations`.
        """
        self.audit_annotations.setdefault(key, value)
        if is_detailed:
            self.detailed_annotations.add(key)


class Selection(NamedTuple):
    """Label and field selectors of a list or watch. A selector that is None selects all objects."""

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
"""Options of a list of all objects in their newest revision."""


class WatchOptions(NamedTuple):
    """Validated options of a watch (metav1.ListOptions)."""

    selection: Selection = _ALL
    resource_version: str = ""
    bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_seconds: float | None = None
