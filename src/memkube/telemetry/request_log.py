"""A log of requests: those in flight, and a bounded number of answered ones with client, verb, target and response.

Answered requests are in the order of their responses. ``ApiRequest.record`` creates the record of a request on first
use. Requests without a record, mostly plain reads, are logged as tuples, which are converted to records when the log is
read: creating a record for every request would slow down a GET by 3 %. Verbs are those of kube-apiserver's RequestInfo,
as in RBAC rules and audit logs: an exec is ``create pods/exec``, or ``get pods/exec`` over a WebSocket.

Code that injects a fault into a request must add the fault's name to the record before the response is sent::

   request.record.hit_by("too-many-requests")

Requests of controllers in this process are logged if `RequestLogOptions.controllers` is True.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from time import monotonic
from typing import Final, NamedTuple, Protocol, TypeAlias
from urllib.parse import parse_qs

from memkube.apimachinery.go_strings import go_string, replaced
from memkube.registry.declarations.request_options import NOBODY, Right, User, WriteContext
from memkube.registry.reads.watching import ObjectWatch
from memkube.time.clock import Clock, ScaledClock, SteppedClock

_MOST_TEXT: Final = 1024
_NAME_SELECTED: Final = "metadata.name="
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_RECORD_BYTES: Final = 700
"""Approximate size of a record in bytes, without its strings."""
_PARTS: Final = 16
"""Number of parts of the log. When the log is full, the oldest part is dropped."""

Facts: TypeAlias = tuple[str, User, float, int, str | int]
"""Method, user, time of arrival, status and revision of an answered request that has no RequestRecord."""
Plain: TypeAlias = tuple[int, str, bytes, bytes, Facts, float, int, datetime | None]
"""Data of an answered request in compact form. It is converted to a RequestRecord when the log is read."""


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
"""Target of requests for paths that are not resources."""


class RequestRecord:
    """The record of one request, to which the handlers of the request add information."""

    rights: Sequence[Right] = ()
    """Rights that the request needs in addition to that for its own verb.

    The property `needed` also has the rights that are checked while the request is handled.
    """
    denied: Sequence[Right] = ()
    """Rights that the user lacked, if the request was refused because of them; otherwise empty."""

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
    def empty(cls) -> "RequestRecord":
        """Return an empty record, for a request whose path is not that of a resource."""
        return cls("", "", b"", b"", NOBODY)

    @property
    def client(self) -> str:
        """Name of the client: its User-Agent up to the first slash."""
        return self.user_agent.partition("/")[0] or "unknown"

    @property
    def user_agent(self) -> str:
        """The User-Agent header of the request."""
        return replaced(go_string(self.agent))

    @property
    def in_flight(self) -> bool:
        """True while the request is in flight."""
        return not self.ended

    @property
    def seconds(self) -> float:
        """Seconds of real time from the arrival of the request to the end of its response, or until now."""
        return (self.ended or monotonic()) - self.arrived

    @property
    def is_internal(self) -> bool:
        """True if a controller in this process sent the request."""
        return not self.method

    @property
    def name(self) -> str:
        """Name of the request's object, from the path or from a field selector."""
        if self.target.name or b"fieldSelector" not in self.query:
            return self.target.name
        selector = parse_qs(self.query.decode("latin-1")).get("fieldSelector", [""])[0]
        named = [part for part in selector.split(",") if part.startswith(_NAME_SELECTED)]
        return named[0].removeprefix(_NAME_SELECTED).removeprefix("=") if len(named) == 1 else ""

    @property
    def revision(self) -> int:
        """Revision of the object or list in the response; for a watch, the revision up to which all events were sent.

        0 if the response has no revision.
        """
        watching = self.watching
        return watching.revision if watching is not None else int(self.answered or 0)

    @property
    def events(self) -> int:
        """Number of events sent by a watch, including bookmarks."""
        return self._sent if self.watching is None else self.watching.sent

    @property
    def manager(self) -> str:
        """Name of the field manager of a write; empty for other requests."""
        return self.context.manager if self.context else ""

    @property
    def dry_run(self) -> bool:
        """True if the request has ``dryRun=All``, so that nothing is stored."""
        return self.context is not None and self.context.dry_run

    @property
    def needed(self) -> list[Right]:
        """Rights that the request needed: for its own verb, and those that were checked during its execution."""
        target = self.target
        if not target.resource:
            return [Right(self.verb, path=self.path), *self.rights]
        resource = f"{target.resource}/{target.subresource}" if target.subresource else target.resource
        own = Right(self.verb, target.group, resource, target.namespace, self.name)
        return [own, *self.rights, *(self.context.rights if self.context else ())]

    @property
    def annotations(self) -> Mapping[str, str]:
        """Audit annotations added by admission policies and webhooks."""
        return self.context.audit_annotations if self.context else {}

    def keep_body(self, body: bytes, content_type: str) -> None:
        """Record the request body, up to the configured number of bytes."""
        self.body, self.body_size = body[: self._most_body_bytes], len(body)
        self.content_type = content_type

    def hit_by(self, fault: str) -> None:
        """Record the name of a fault that was injected into the request."""
        self.fault = f"{self.fault}, {fault}" if self.fault else fault

    def refuse(self, reason: str, message: str) -> None:
        """Record the reason and message of an error response."""
        self.reason, self.message = reason, message[:_MOST_TEXT]

    def settle(self) -> int:
        """Copy the event count and revision of the watch to the record, and release the watch.

        Returns the approximate size of the record's strings in bytes.
        """
        if self.watching is not None:
            self._sent, self.answered, self.watching = self.watching.sent, self.watching.revision, None
            self.unsent = int
        texts = (self.path, *self.warnings, self.message, *self.annotations, *self.annotations.values())
        return sum(map(len, texts)) + len(self.query) + len(self.agent) + len(self.body)


class RequestLogOptions(NamedTuple):
    """Limits of the request log. The oldest requests are dropped first."""

    requests: int = 5_000
    """Maximum number of requests in the log, at least 1."""
    size: int = 16 * 1024 * 1024
    """Approximate maximum size of the log in bytes, including request bodies."""
    body_bytes: int = 16 * 1024
    """Maximum number of bytes logged of each request body."""
    slow_seconds: float = 0.5
    """Seconds after which a request is logged as slow, with the time of each step; 0 to disable."""
    controllers: bool = False
    """True to log the requests of controllers in this process."""


class Revisions(Protocol):
    """Source of the newest revision, such as the storage."""

    @property
    def seen(self) -> int:
        """Revision of the newest write of which this server knows."""


class UnderWay(Protocol):
    """A request in flight: its response has not been sent completely."""

    @property
    def record(self) -> RequestRecord:
        """The record of this request in the request log. It is created when it is first read."""


class _Part:
    """A part of the request log: consecutive requests that are dropped together when the log is full."""

    __slots__ = ("entries", "last", "size")

    def __init__(self) -> None:
        self.entries: list[Plain | RequestRecord] = []
        self.size = 0
        self.last = 0
        """Number of the last request of the part, once the next part has begun."""


class RequestLog:
    """A bounded log of requests. May be used only on the server's event loop."""

    def __init__(
        self,
        options: RequestLogOptions,
        clock: Clock,
        revisions: Revisions,
        identify: Callable[[RequestRecord], None],
    ) -> None:
        """Create an empty log.

        `revisions` is the source of the newest revision, which the log records at the end of each request. `identify`
        takes a record, and sets its verb and target from its method, path and query.
        """
        self.options = options
        self.ended = 0
        """Number of requests that have been answered so far."""
        self.dropped = 0
        """Number of requests that were dropped from the log because it was full; these are the oldest."""
        self.under_way: set[UnderWay] = set()
        """Requests in flight. The code that receives a request adds it here."""
        self._clock = clock
        self._stepped = clock if isinstance(clock, SteppedClock) else None
        self._factor = clock.factor if isinstance(clock, ScaledClock) else 1.0
        self._revisions = revisions
        self._identify = identify
        self._parts: deque[_Part] = deque()
        self._waiting: set[asyncio.Future[None]] = set()
        self._listener: Callable[[RequestRecord], None] | None = None
        self._is_heard = False
        """True if there are listeners for answered requests."""
        self._begin_part()

    def apart(self) -> "RequestLog":
        """Return a new, separate log. Requests that are recorded in it do not appear in this log."""
        return RequestLog(self.options._replace(requests=_PARTS), self._clock, self._revisions, self._identify)

    def record(self, method: str, path: str, query: bytes, agent: bytes, user: User, arrived: float) -> RequestRecord:
        """Return a new record of a request that arrived at the time `arrived` of ``time.monotonic``.

        `agent` is its User-Agent header.
        """
        record = RequestRecord(method, path, query, agent, user, self.options.body_bytes)
        record.arrived = arrived
        record.since = self._revisions.seen
        record.instant = self._instant(arrived)
        self._identify(record)
        return record

    def internal_record(self, verb: str, target: Target, context: WriteContext) -> RequestRecord:
        """Return a new record of a request by a controller in this process."""
        record = RequestRecord("", "", b"", context.manager.encode(), context.user)
        record.arrived = monotonic()
        record.since = self._revisions.seen
        record.instant = self._instant(record.arrived)
        record.verb, record.target, record.context = verb, target, context
        record.warnings = context.warnings
        return record

    def end_plain(
        self,
        request: UnderWay,
        path: str,
        query: bytes,
        agent: bytes,
        facts: Facts,
    ) -> float:
        """Log a request as answered now, without a RequestRecord. Return the present time by ``time.monotonic``.

        `facts` has the method, the user, the time of arrival, the status and the revision of the request.
        """
        self.under_way.discard(request)
        ended, part, number = monotonic(), self._newest, self.ended + 1
        if number > self._full_at or part.size > self._part_size:
            part = self._begin_part()
        self.ended = number
        part.size += len(path) + len(query) + len(agent)
        now = None if self._stepped is None else self._stepped.now()
        part.entries.append((number, path, query, agent, facts, ended, self._revisions.seen, now))
        if self._is_heard:
            self._notify()
        return ended

    def end(self, request: UnderWay) -> float:
        """Log a request that has a record and was answered or aborted. Return the end time by ``time.monotonic``."""
        record = request.record
        ended = record.ended = monotonic()
        self.under_way.discard(request)
        if self.ended >= self._full_at or self._newest.size > self._part_size:
            self._begin_part()
        self.ended += 1
        record.number = self.ended
        part = self._newest
        part.size += record.settle()
        part.entries.append(record)
        if self._is_heard:
            self._notify()
        return ended

    def records(self) -> list[RequestRecord]:
        """Return all requests: answered requests in the order of their responses, then requests in flight."""
        entries = [self._made(entry) for part in self._parts for entry in part.entries]
        return [*entries, *self.in_flight()]

    def newer(self, number: int) -> list[RequestRecord]:
        """Return the requests that were answered after the one with this sequence number, newest first."""
        newest: list[RequestRecord] = []
        for part in reversed(self._parts):
            for entry in reversed(part.entries):
                if (entry[0] if isinstance(entry, tuple) else entry.number) <= number:
                    return newest
                newest.append(self._made(entry))
        return newest

    def in_flight(self) -> list[RequestRecord]:
        """Return the requests in flight, in the order of their arrival."""
        return sorted((request.record for request in self.under_way), key=attrgetter("arrived"))

    def clear(self, is_meant: Callable[[RequestRecord], bool]) -> int:
        """Remove the answered requests for which `is_meant` returns True, and return their number."""
        forgotten = 0
        for part in self._parts:
            kept = [entry for entry in part.entries if not is_meant(self._made(entry))]
            forgotten += len(part.entries) - len(kept)
            part.entries = kept
        return forgotten

    def record_controllers(self, wanted: bool) -> None:
        """From now on, log requests of controllers in this process if `wanted` is true, otherwise ignore them."""
        self.options = self.options._replace(controllers=wanted)

    def on_answer(self, listener: Callable[[RequestRecord], None]) -> None:
        """Call `listener` with each request when it is answered."""
        self._listener, self._is_heard = listener, True

    async def wait(self, seconds: float) -> None:
        """Wait until a request is answered, for at most this many seconds of real time."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        self._is_heard = True
        try:
            async with asyncio.timeout(seconds):
                await waiter
        except TimeoutError:
            return
        finally:
            self._waiting.discard(waiter)

    def _made(self, plain: Plain | RequestRecord) -> RequestRecord:
        if isinstance(plain, RequestRecord):
            return plain
        number, path, query, agent, (method, user, arrived, code, answered), ended, since, now = plain
        record = RequestRecord(method, path, query, agent, user)
        record.arrived, record.ended, record.code, record.answered = arrived, ended, code, answered
        record.number, record.since = number, since
        record.instant = now or self._instant(arrived)
        self._identify(record)
        return record

    def _instant(self, arrived: float) -> datetime:
        """Return the time of the server's clock at the moment when ``time.monotonic`` returned `arrived`."""
        if self._stepped is not None:
            return self._stepped.now()
        return self._clock.now() - timedelta(seconds=(monotonic() - arrived) * self._factor)

    def _begin_part(self) -> _Part:
        """Append an empty part to the log, in which the next requests are recorded, and return it.

        The log consists of parts; all requests in one part are dropped together. If the log is full, this method first
        drops its oldest parts.
        """
        requests, size = max(self.options.requests, 1), self.options.size
        room, size_room = max(requests // _PARTS, 1), size // _PARTS
        parts = self._parts
        if parts:
            parts[-1].last = self.ended
        while parts and (_count(parts) + room > requests or _size(parts) + size_room > size):
            self.dropped = parts.popleft().last
        part = self._newest = _Part()
        self._full_at, self._part_size = self.ended + room, size_room - room * _RECORD_BYTES
        parts.append(part)
        return part

    def _notify(self) -> None:
        """Notify listeners, and callers of `wait`, that a request has been answered."""
        if self._listener is not None:
            self._listener(self._made(self._newest.entries[-1]))
        self._is_heard = self._listener is not None
        waiting, self._waiting = self._waiting, set()
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)


def _count(parts: Iterable[_Part]) -> int:
    return sum(len(part.entries) for part in parts)


def _size(parts: Iterable[_Part]) -> int:
    return sum(part.size + _RECORD_BYTES * len(part.entries) for part in parts)
