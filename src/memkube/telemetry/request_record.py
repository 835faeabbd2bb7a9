"""The record of one request in the request log.

Verbs are those of kube-apiserver's RequestInfo, as in RBAC rules and audit logs: an exec is ``create pods/exec``, or
``get pods/exec`` over a WebSocket.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Final
from urllib.parse import parse_qs

from memkube.apimachinery.go_strings import go_string, replaced
from memkube.registry.declarations.request_options import NOBODY, User, WriteContext
from memkube.registry.reads.watching import ObjectWatch

_MOST_TEXT: Final = 1024
_NAME_SELECTED: Final = "metadata.name="
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Target:
    """Target of a request: namespace, resource and name. Fields that do not apply are empty."""

    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""

    def named(self, name: str) -> "Target":
        """Return a copy of the target with the name of an object."""
        return Target(self.group, self.version, self.namespace, self.resource, name, self.subresource)


NOTHING: Final = Target()
"""Target of a request that is not for a resource."""


class RequestRecord:
    """The record of one request, to which the handlers of the request add information."""

    def __init__(
        self, method: str, path: str, query: bytes, agent: bytes, user: User, most_body_bytes: int = 0
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.agent = agent
        self.user = user
        self._most_body_bytes = most_body_bytes
        self.number = 0
        """Sequence number of the response, counted from 1; 0 while the request is in flight."""
        self.arrived = 0.0
        """Arrival time by ``time.monotonic``."""
        self.ended = 0.0
        """End time by ``time.monotonic``; 0 while the request is in flight."""
        self.instant = _NEVER
        """Arrival time on the server's clock."""
        self.since = 0
        """Newest revision of the server when the request arrived."""
        self.verb = ""
        self.target = NOTHING
        self.code = 0
        """HTTP status; 0 before the response."""
        self.answered: str | int = 0
        """Revision of the object or list in the response."""
        self.reason = ""
        """Reason in the Status of an error response."""
        self.message = ""
        self.fault = ""
        """Names of the injected faults, separated by commas; empty if there were none."""
        self.warnings: Sequence[str] = ()
        self.context: WriteContext | None = None
        """WriteContext of a write; None for a read."""
        self.body = b""
        """Beginning of the request body."""
        self.body_size = 0
        self.content_type = ""
        self.watching: ObjectWatch | None = None
        """The open watch if the request is a watch, otherwise None."""
        self.unsent: Callable[[], int] = int
        """Function that returns the number of bytes in the connection's write buffer."""
        self._sent = 0

    @classmethod
    def of_nothing(cls) -> "RequestRecord":
        """Return the record of a request that is not for a resource."""
        return cls("", "", b"", b"", NOBODY)

    @property
    def client(self) -> str:
        """Name of the client: its User-Agent up to the first slash."""
        return self.user_agent.partition("/")[0] or "unknown"

    @property
    def user_agent(self) -> str:
        """The User-Agent header."""
        return replaced(go_string(self.agent))

    @property
    def in_flight(self) -> bool:
        """True while the request is in flight."""
        return not self.ended

    @property
    def seconds(self) -> float:
        """Seconds of real time from the arrival to the end, or until now."""
        return (self.ended or monotonic()) - self.arrived

    @property
    def is_internal(self) -> bool:
        """True if a controller in this process sent the request."""
        return not self.method

    @property
    def name(self) -> str:
        """Name of the object, from the path or from a field selector."""
        if self.target.name or b"fieldSelector" not in self.query:
            return self.target.name
        selector = parse_qs(self.query.decode("latin-1")).get("fieldSelector", [""])[0]
        named = [part for part in selector.split(",") if part.startswith(_NAME_SELECTED)]
        return named[0].removeprefix(_NAME_SELECTED).removeprefix("=") if len(named) == 1 else ""

    @property
    def revision(self) -> int:
        """Revision of the object or list in the response, or of a watch's last event; 0 if there is none."""
        watching = self.watching
        return watching.revision if watching is not None else int(self.answered or 0)

    @property
    def events(self) -> int:
        """Number of events sent by a watch, including bookmarks."""
        return self._sent if self.watching is None else self.watching.sent

    @property
    def manager(self) -> str:
        """Field manager of a write."""
        return self.context.manager if self.context else ""

    @property
    def dry_run(self) -> bool:
        """True if the request is a dry run."""
        return self.context is not None and self.context.dry_run

    @property
    def annotations(self) -> Mapping[str, str]:
        """Audit annotations added by admission policies and webhooks."""
        return self.context.audit_annotations if self.context else {}

    def keep_body(self, body: bytes, content_type: str) -> None:
        """Record the request body, up to the configured number of bytes."""
        self.body, self.body_size = body[: self._most_body_bytes], len(body)
        self.content_type = content_type

    def hit_by(self, fault: str) -> None:
        """Append the name of an injected fault."""
        self.fault = f"{self.fault}, {fault}" if self.fault else fault

    def refuse(self, reason: str, message: str) -> None:
        """Record the reason and message of an error response."""
        self.reason, self.message = reason, message[:_MOST_TEXT]

    def settle(self) -> int:
        """Drop the reference to the watch. Return the approximate size of the record's strings in bytes."""
        if self.watching is not None:
            self._sent, self.answered, self.watching = self.watching.sent, self.watching.revision, None
            self.unsent = int
        texts = (self.path, *self.warnings, self.message, *self.annotations, *self.annotations.values())
        return sum(map(len, texts)) + len(self.query) + len(self.agent) + len(self.body)
