"""Watch events that go straight to the connection, past the task that answers the request.

To wake a task, and all that it has called, for each of a thousand watchers takes several times as long as to write
the event. While nothing but events happens, a call for each does; the task is woken for everything else.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from memkube.registry.reads.watch_events import WatchEvent
from memkube.registry.reads.watching import ObjectWatch
from memkube.telemetry.measures import EventSizes

_BYTES_AT_ONCE: Final = 96 * 1024


class Alarm(Protocol):
    """Tells when there is something else to do than to send events."""

    @property
    def rung(self) -> bool:
        """Whether there is, as of now."""


class EventWriter(Protocol):
    """Writes one watch event as a line of JSON, or as a frame of protobuf."""

    def __call__(self, event: WatchEvent) -> bytes:
        """The line with its line break; the frame with its length."""


class Wire(Protocol):
    """The answer to a request, as the server's protocol sends it."""

    @property
    def takes_pieces(self) -> bool:
        """Whether the answer is under way, and its client keeps up with it."""

    def write_piece(self, piece: bytes) -> None:
        """Sends a piece of the body."""


def wire_of(scope: Mapping[str, Any]) -> Wire | None:
    """The wire of a request; None where another server, or another protocol, has it."""
    transport = scope.get("transport")
    exchange = None if transport is None else getattr(transport.get_protocol(), "cycle", None)
    return exchange if getattr(exchange, "scope", None) is scope else None


def pieces(events: Sequence[WatchEvent], write: EventWriter, sizes: EventSizes) -> Iterator[bytes]:
    """The lines of a batch, all in one piece unless that would be large: who reads slowly need not be written for."""
    lines: list[bytes] = []
    size = 0
    for event in events:
        line = write(event)
        lines.append(line)
        sizes.count(len(line))
        size += len(line)
        if size > _BYTES_AT_ONCE:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)


class DirectWatch:
    """Sends the events of one watch as they come."""

    def __init__(self, watching: ObjectWatch, write: EventWriter, sizes: EventSizes, wire: Wire) -> None:
        self._watching = watching
        self._write = write
        self._sizes = sizes
        self._wire = wire
        self._needed: asyncio.Future[None] | None = None

    async def run(self, alarm: Alarm) -> None:
        """Returns when there is something else to do than to send events, and the task has to see to it.

        Raises what :meth:`ObjectWatch.next` raises.
        """
        if not (self._watching.is_plain and self._wire.takes_pieces):
            return
        self._alarm = alarm
        needed = self._needed = asyncio.get_running_loop().create_future()
        self._watching.call_when_ready(self._send)
        try:
            await needed
        finally:
            # Nobody is to be called any more.
            self._watching.interrupt()

    def _send(self) -> None:
        needed, watching = self._needed, self._watching
        if needed is None or needed.done():
            return
        wire = self._wire
        try:
            events = None if self._alarm.rung or not wire.takes_pieces else watching.ready()
            if events is None:
                needed.set_result(None)
                return
            if len(events) == 1:
                line = self._write(events[0])
                self._sizes.count(len(line))
                wire.write_piece(line)
            else:
                for piece in pieces(events, self._write, self._sizes):
                    wire.write_piece(piece)
        except Exception as error:
            needed.set_exception(error)
            return
        watching.sent += len(events)
        watching.call_when_ready(self._send)
