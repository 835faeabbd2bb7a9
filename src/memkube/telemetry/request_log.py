"""The requests of the recent past and those under way: who asked for what, and how it was answered.

The log holds answered requests in the order of their answers, and knows those under way. A request has a record from
when somebody first wants to note something in it: ``ApiRequest.record`` makes it, which handlers reach as
``scope.request.record``. Of all others, plain reads mostly, a tuple is kept, of which a record is made when somebody
looks at the log: to make one for each would cost a GET three hundredths.

Whoever does something to a request on purpose says so by name, before the answer is sent::

    request.record.hit_by("too-many-requests")

The requests of controllers in this process are recorded where `RequestLogOptions.controllers` says so.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import attrgetter
from time import monotonic
from typing import Final, Protocol, TypeAlias

from memkube.registry.declarations.request_options import LOOPBACK, User, WriteContext
from memkube.telemetry.request_record import RequestRecord, Target
from memkube.time.clock import Clock, ScaledClock, SteppedClock

_RECORD_BYTES: Final = 700
"""About what a request takes up besides its texts."""
_PARTS: Final = 16
"""The log is dropped in so many pieces."""

Facts: TypeAlias = tuple[str, User, float, int, str | int]
"""Of a request: its method, its user, its arrival, the status and the revision of its answer."""
Plain: TypeAlias = tuple[int, str, bytes, bytes, Facts, float, int, datetime | None]
"""A request that nobody noted anything in; see `RequestLog.end_plain`."""


@dataclass(frozen=True, slots=True)
class RequestLogOptions:
    """How much of the past is kept; the oldest requests go first."""

    requests: int = 5_000
    """How many requests, one at least."""
    size: int = 16 * 1024 * 1024
    """About how many bytes they take up, bodies included."""
    body_bytes: int = 16 * 1024
    """How much of each body is kept."""
    slow_seconds: float = 0.5
    """Requests that take longer are written to the program's log, with where the time went; 0 for none."""
    controllers: bool = False
    """Whether requests of the controllers in this process are recorded too."""


class Revisions(Protocol):
    """What counts the revisions of a server."""

    @property
    def seen(self) -> int:
        """The newest revision that this server has seen."""


class UnderWay(Protocol):
    """A request that has no answer yet, or one whose answer goes on."""

    @property
    def record(self) -> RequestRecord:
        """Its record, made when it is first asked for."""


class _Part:
    """Requests that were answered one after another, and are dropped together."""

    __slots__ = ("entries", "size")

    def __init__(self) -> None:
        self.entries: list[Plain | RequestRecord] = []
        self.size = 0


class RequestLog:
    """A bounded log of requests. Belongs to the server's event loop."""

    def __init__(
        self,
        options: RequestLogOptions,
        clock: Clock,
        revisions: Revisions,
        identify: Callable[[RequestRecord], None],
    ) -> None:
        """`identify` sets a record's verb and target by its method, path and query."""
        self.options = options
        self.ended = 0
        """How many requests have been answered."""
        self.under_way: set[UnderWay] = set()
        """Whoever takes a request adds it."""
        self._clock = clock
        self._stepped = clock if isinstance(clock, SteppedClock) else None
        self._factor = clock.factor if isinstance(clock, ScaledClock) else 1.0
        self._revisions = revisions
        self._identify = identify
        self._parts: deque[_Part] = deque()
        self._waiting: set[asyncio.Future[None]] = set()
        self._listener: Callable[[RequestRecord], None] | None = None
        self._is_heard = False
        """Whether anybody is told of answers."""
        self._begin_part()

    def record(self, method: str, path: str, query: bytes, agent: bytes, user: User, arrived: float) -> RequestRecord:
        """A new record of a request that is under way."""
        record = RequestRecord(method, path, query, agent, user, self.options.body_bytes)
        record.arrived = arrived
        record.since = self._revisions.seen
        record.instant = self._instant(arrived)
        self._identify(record)
        return record

    def internal_record(self, verb: str, target: Target, context: WriteContext) -> RequestRecord:
        """A new record of a request that a controller in this process makes."""
        record = RequestRecord("", "", b"", context.manager.encode(), LOOPBACK)
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
        """A request that has no record has been answered; returns when, by ``time.monotonic``."""
        self.under_way.discard(request)
        ended, part, number = monotonic(), self._newest, self.ended + 1
        if number > self._full_at or part.size > self._part_size:
            part = self._begin_part()
        self.ended = number
        part.size += len(path) + len(query) + len(agent)
        now = None if self._stepped is None else self._stepped.now()
        part.entries.append((number, path, query, agent, facts, ended, self._revisions.seen, now))
        if self._is_heard:
            self._tell()
        return ended

    def end(self, request: UnderWay) -> float:
        """A request that has a record has been answered, or never will be; returns when, by ``time.monotonic``."""
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
            self._tell()
        return ended

    def records(self) -> list[RequestRecord]:
        """Those that are kept, in the order of their answers, and behind them those under way."""
        entries = [self._made(entry) for part in self._parts for entry in part.entries]
        return [*entries, *self.in_flight()]

    def newer(self, number: int) -> list[RequestRecord]:
        """Those that have been answered after the one of that number, the last one first."""
        newest: list[RequestRecord] = []
        for part in reversed(self._parts):
            for entry in reversed(part.entries):
                if (entry[0] if isinstance(entry, tuple) else entry.number) <= number:
                    return newest
                newest.append(self._made(entry))
        return newest

    def in_flight(self) -> list[RequestRecord]:
        """Those that have no answer yet, and those whose answer goes on, in the order of their arrival."""
        return sorted((request.record for request in self.under_way), key=attrgetter("arrived"))

    def clear(self, is_meant: Callable[[RequestRecord], bool]) -> int:
        """Forgets those that are meant, but for requests under way; returns how many."""
        forgotten = 0
        for part in self._parts:
            kept = [entry for entry in part.entries if not is_meant(self._made(entry))]
            forgotten += len(part.entries) - len(kept)
            part.entries = kept
        return forgotten

    def record_controllers(self, wanted: bool) -> None:
        """Whether requests of the controllers in this process are recorded from now on."""
        self.options = replace(self.options, controllers=wanted)

    def on_answer(self, listener: Callable[[RequestRecord], None]) -> None:
        """Has `listener` called with each request that has been answered."""
        self._listener, self._is_heard = listener, True

    async def wait(self, seconds: float) -> None:
        """Returns when a request has been answered, or the time on the wall is up."""
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
        """What the clock showed at this time of ``time.monotonic``; a stepped one stands still."""
        if self._stepped is not None:
            return self._stepped.now()
        return self._clock.now() - timedelta(seconds=(monotonic() - arrived) * self._factor)

    def _begin_part(self) -> _Part:
        """Makes room for as many as are dropped at once, in a part that is the newest from now on."""
        requests, size = max(self.options.requests, 1), self.options.size
        room, size_room = max(requests // _PARTS, 1), size // _PARTS
        parts = self._parts
        while parts and (_count(parts) + room > requests or _size(parts) + size_room > size):
            parts.popleft()
        part = self._newest = _Part()
        self._full_at, self._part_size = self.ended + room, size_room - room * _RECORD_BYTES
        parts.append(part)
        return part

    def _tell(self) -> None:
        """Tells of the newest answer."""
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
