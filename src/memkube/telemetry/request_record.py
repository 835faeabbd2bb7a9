"""The record of one request.

Verbs are those of RequestInfo in kube-apiserver, as in RBAC rules and audit logs: an exec is ``create pods/exec``, or
``get pods/exec`` over a WebSocket.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Final
from urllib.parse import parse_qs

from memkube.registry.declarations.request_options import NOBODY, User, WriteContext
from memkube.registry.reads.watching import ObjectWatch

_MOST_TEXT: Final = 1024
_NAME_SELECTED: Final = "metadata.name="
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Target:
    """Target of a request. Parts that it lacks are empty."""

    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""

    def named(self, name: str) -> "Target":
        """Return the target with the name of an object."""
        return Target(self.group, self.version, self.namespace, self.resource, name, self.subresource)


NOTHING: Final = Target()
"""Target of a request that is not for a resource."""


class RequestRecord:
    """A request, to which its handlers add information."""

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
        """Number of the response, counted from 1; 0 while the request is in flight."""
        self.arrived = 0.0
        """Arrival by ``time.monotonic``."""
        self.ended = 0.0
        """End by ``time.monotonic``; 0 while the request is in flight."""
        self.instant = _NEVER
        """Arrival on the server's clock."""
        self.since = 0
        """Newest revision at the arrival."""
        self.verb = ""
        self.target = NOTHING
        self.code = 0
        """HTTP status; 0 until there is one."""
        self.answered: str | int = 0
        """Revision in the response."""
        self.reason = ""
        """Reason in the Status of a refusal."""
        self.message = ""
        self.fault = ""
        """Names of the injected faults, separated by commas; empty if there were none."""
        self.warnings: Sequence[str] = ()
        self.context: WriteContext | None = None
        """Context of a write."""
        self.body = b""
        """Beginning of the received body."""
        self.body_size = 0
        self.content_type = ""
        self.watching: ObjectWatch | None = None
        """The open watch, if the request is one."""
        self.unsent: Callable[[], int] = int
        """Return the number of bytes in the write buffer of the connection."""
        self._sent = 0

    @classmethod
    def of_nothing(cls) -> "RequestRecord":
        """Return the record of a request without a resource."""
        return cls("", "", b"", b"", NOBODY)

    @property
    def client(self) -> str:
        """Name of the client: its User-Agent up to the first slash."""
        return self.user_agent.partition("/")[0] or "unknown"

    @property
    def user_agent(self) -> str:
        """The User-Agent header."""
        return self.agent.decode("latin-1")

    @property
    def in_flight(self) -> bool:
        """True while the request is in flight."""
        return not self.ended

    @property
    def seconds(self) -> float:
        """Seconds of real time since the arrival, or until the end."""
        return (self.ended or monotonic()) - self.arrived

    @property
    def is_internal(self) -> bool:
        """True if a controller in this process sent it."""
        return not self.method

    @property
    def name(self) -> str:
        """Name of the object, which may come from a field selector."""
        if self.target.name or b"fieldSelector" not in self.query:
            return self.target.name
        selector = parse_qs(self.query.decode("latin-1")).get("fieldSelector", [""])[0]
        named = [part for part in selector.split(",") if part.startswith(_NAME_SELECTED)]
        return named[0].removeprefix(_NAME_SELECTED).removeprefix("=") if len(named) == 1 else ""

    @property
    def revision(self) -> int:
        """Revision of the object or list in the response, or of a watch's last event; 0 for none."""
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
        """Audit annotations by policies and webhooks."""
        return self.context.audit_annotations if self.context else {}

    def keep_body(self, body: bytes, content_type: str) -> None:
        """Record the body, up to the configured number of bytes."""
        self.body, self.body_size = body[: self._most_body_bytes], len(body)
        self.content_type = content_type

    def hit_by(self, fault: str) -> None:
        """Record an injected fault, after those recorded before."""
        self.fault = f"{self.fault}, {fault}" if self.fault else fault

    def refuse(self, reason: str, message: str) -> None:
        """Record the reason and message of a refusal."""
        self.reason, self.message = reason, message[:_MOST_TEXT]

    def settle(self) -> int:
        """Remove the reference to the watch. Return the approximate number of bytes of the record's strings."""
        if self.watching is not None:
            self._sent, self.answered, self.watching = self.watching.sent, self.watching.revision, None
            self.unsent = int
        texts = (self.path, *self.warnings, self.message, *self.annotations, *self.annotations.values())
        return sum(map(len, texts)) + len(self.query) + len(self.agent) + len(self.body)
