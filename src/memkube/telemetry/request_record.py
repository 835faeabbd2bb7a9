"""What is known of one request.

Verbs are those of the reference's RequestInfo, by which RBAC and audit logs go: to run something in a pod is
``create pods/exec``, or ``get pods/exec`` over a WebSocket.
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
    """What a request is about. Empty parts are absent."""

    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""

    def named(self, name: str) -> "Target":
        """The same about an object of that name."""
        return Target(self.group, self.version, self.namespace, self.resource, name, self.subresource)


NOTHING: Final = Target()
"""What requests are about that are not about resources."""


class RequestRecord:
    """One request, which those who handle it note things in."""

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
        """Its place in the order of answers, from 1 on; 0 as long as it is under way."""
        self.arrived = 0.0
        """When it came, by ``time.monotonic``."""
        self.ended = 0.0
        """When it was over, by ``time.monotonic``; 0 before."""
        self.instant = _NEVER
        """When it came, on the server's clock."""
        self.since = 0
        """The newest revision when it came."""
        self.verb = ""
        self.target = NOTHING
        self.code = 0
        """The HTTP status, 0 as long as there is none."""
        self.answered: str | int = 0
        """The revision of the answer."""
        self.reason = ""
        """The reason of a refusal's Status."""
        self.message = ""
        self.fault = ""
        """The name of the fault that hit it; names, with commas between them, where there were more."""
        self.warnings: Sequence[str] = ()
        self.context: WriteContext | None = None
        """The circumstances of a write."""
        self.body = b""
        """The beginning of the body as it came."""
        self.body_size = 0
        self.content_type = ""
        self.watching: ObjectWatch | None = None
        """The watch, for as long as it is open."""
        self.unsent: Callable[[], int] = int
        """How many bytes wait for the client to read on."""
        self._sent = 0

    @classmethod
    def of_nothing(cls) -> "RequestRecord":
        """One that is about nothing."""
        return cls("", "", b"", b"", NOBODY)

    @property
    def client(self) -> str:
        """What the client calls itself: its user agent up to the first slash."""
        return self.user_agent.partition("/")[0] or "unknown"

    @property
    def user_agent(self) -> str:
        """The User-Agent header."""
        return self.agent.decode("latin-1")

    @property
    def in_flight(self) -> bool:
        """Whether it is under way."""
        return not self.ended

    @property
    def seconds(self) -> float:
        """How long it took, or has been taking, on the wall."""
        return (self.ended or monotonic()) - self.arrived

    @property
    def is_internal(self) -> bool:
        """Whether a controller in this process has made it."""
        return not self.method

    @property
    def name(self) -> str:
        """The name of the object, also where a field selector names it."""
        if self.target.name or b"fieldSelector" not in self.query:
            return self.target.name
        selector = parse_qs(self.query.decode("latin-1")).get("fieldSelector", [""])[0]
        named = [part for part in selector.split(",") if part.startswith(_NAME_SELECTED)]
        return named[0].removeprefix(_NAME_SELECTED).removeprefix("=") if len(named) == 1 else ""

    @property
    def revision(self) -> int:
        """The revision of the answer: of an object or a list, or up to where a watch has come; 0 for none."""
        watching = self.watching
        return watching.revision if watching is not None else int(self.answered or 0)

    @property
    def events(self) -> int:
        """How many events a watch has sent, bookmarks included."""
        return self._sent if self.watching is None else self.watching.sent

    @property
    def manager(self) -> str:
        """Who the fields that it writes belong to."""
        return self.context.manager if self.context else ""

    @property
    def dry_run(self) -> bool:
        """Whether nothing was to be written."""
        return self.context is not None and self.context.dry_run

    @property
    def annotations(self) -> Mapping[str, str]:
        """What policies and webhooks have noted for the audit log."""
        return self.context.audit_annotations if self.context else {}

    def keep_body(self, body: bytes, content_type: str) -> None:
        """Remembers what was sent, up to a bound."""
        self.body, self.body_size = body[: self._most_body_bytes], len(body)
        self.content_type = content_type

    def hit_by(self, fault: str) -> None:
        """Notes a fault, behind those that have hit it before."""
        self.fault = f"{self.fault}, {fault}" if self.fault else fault

    def refuse(self, reason: str, message: str) -> None:
        """Remembers why it was refused."""
        self.reason, self.message = reason, message[:_MOST_TEXT]

    def settle(self) -> int:
        """Lets go of the watch; about how many bytes its texts take up."""
        if self.watching is not None:
            self._sent, self.answered, self.watching = self.watching.sent, self.watching.revision, None
            self.unsent = int
        texts = (self.path, *self.warnings, self.message, *self.annotations, *self.annotations.values())
        return sum(map(len, texts)) + len(self.query) + len(self.agent) + len(self.body)
