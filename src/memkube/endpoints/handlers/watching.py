"""WATCH: events as lines of JSON or frames of protobuf, as server-sent events, or one a WebSocket frame."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope
from starlette.websockets import WebSocket, WebSocketDisconnect

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.endpoints.handlers.direct import DirectWatch, EventWriter, pieces, wire_of
from memkube.endpoints.handlers.resource_request import ResourceRequest
from memkube.endpoints.requests.negotiation import EVENT_STREAM, JSON, PROTOBUF_STREAM, WATCH_TYPES, YAML, only_accepted
from memkube.endpoints.responses.encodings import event_line
from memkube.endpoints.responses.messages import general_message, unframed, watch_frame
from memkube.endpoints.responses.responses import status_of, warning_headers
from memkube.registry.declarations.request_options import WatchOptions
from memkube.registry.reads.watch_events import WatchEnded, WatchEvent
from memkube.registry.reads.watching import ObjectWatch
from memkube.telemetry.measures import EventSizes
from memkube.time.clock import Clock, Timer

BOOKMARK_PERIOD = timedelta(minutes=1)
LAST_BOOKMARK = timedelta(seconds=2)
"""How long before its end a watch gets a last bookmark to resume from."""
LONGEST_SECONDS = 3600.0


ErrorWriter: TypeAlias = Callable[[Document], bytes]
"""Writes the event of type ERROR about a Status."""


async def watch(request: ResourceRequest, options: WatchOptions) -> ASGIApp:
    """Streams what happens to a collection. Raises ApiError before the first event."""
    watching = request.store.watch(request.address.namespace, options, lambda: request)
    record = request.record
    record.watching = watching
    transport = request.scope.get("transport")
    if transport is not None:
        record.unsent = transport.get_write_buffer_size
    representation = request.representation
    if representation.media_type == YAML:
        raise only_accepted(WATCH_TYPES)
    write, clock = event_writer(request), request.store.clock
    address = request.address
    sizes = request.measures.events[address.group, address.version, address.resource]
    if representation.is_protobuf:
        frames = event_lines(watching, options, write, clock, sizes, _error_frame)
        if request.scope["type"] == "websocket":
            return WebSocketWatch(frames, binary=True)
        return WatchResponse(frames, request.warnings, PROTOBUF_STREAM)
    is_plain = request.scope["type"] == "http" and not representation.kind
    wire = wire_of(request.scope) if is_plain and representation.media_type != EVENT_STREAM else None
    direct = None if wire is None else DirectWatch(watching, write, sizes, wire)
    lines = event_lines(watching, options, write, clock, sizes, direct=direct)
    if request.scope["type"] == "websocket":
        return WebSocketWatch(lines)
    if representation.media_type == EVENT_STREAM:
        return _server_sent(lines)
    return WatchResponse(lines, request.warnings)


def _error_line(status: Document) -> bytes:
    return to_json({"type": "ERROR", "object": status}) + b"\n"


def _error_frame(status: Document) -> bytes:
    return watch_frame("ERROR", general_message(status))


async def event_lines(
    watching: ObjectWatch,
    options: WatchOptions,
    write: EventWriter,
    clock: Clock,
    sizes: EventSizes,
    write_error: ErrorWriter = _error_line,
    direct: DirectWatch | None = None,
) -> AsyncGenerator[bytes, None]:
    """The lines of a watch, until its time is up, by the server's clock, or its history is lost.

    The first piece is empty: the watch is in place. Its time begins when the next one is asked for. `sizes` counts.
    `direct` sends most events itself, for a client that keeps up.
    """
    alarm: _Alarm | None = None
    try:
        await watching.start()
        yield b""
        events: Sequence[WatchEvent] = ()
        alarm = _Alarm(watching, options, clock)
        while not (alarm.rung and alarm.is_over()):
            if len(events) == 1:
                line = write(events[0])
                sizes.count(len(line))
                yield line
            else:
                for piece in pieces(events, write, sizes):
                    yield piece
            watching.sent += len(events)
            if not alarm.rung:
                watching.is_waiting = True
                if direct is not None:
                    await direct.run(alarm)
                events = () if alarm.has_rung() else await watching.next()
                watching.is_waiting = False
            else:
                events = watching.bookmarks() if alarm.wants_bookmark() else ()
    except WatchEnded:
        return
    except ApiError as error:
        yield write_error(status_of(error))
    finally:
        if alarm is not None:
            alarm.stop()


class _Alarm:
    """Interrupts a watch when it gets a bookmark, and when its time is up."""

    def __init__(self, watching: ObjectWatch, options: WatchOptions, clock: Clock) -> None:
        self._watching = watching
        self._clock = clock
        self.rung = True
        """Whether it is time to look whether it is time: looking for each event would cost too much."""
        now = clock.now()
        self._deadline = now + timedelta(seconds=options.timeout_seconds or LONGEST_SECONDS)
        self._bookmark_at = next_bookmark(now, self._deadline) if options.bookmarks else None
        self._timer = self._set()

    def has_rung(self) -> bool:
        """Whether it has, as of now."""
        return self.rung

    def is_over(self) -> bool:
        """Whether the time is up."""
        return self._clock.now() >= self._deadline

    def wants_bookmark(self) -> bool:
        """Whether a bookmark is due; it is not any more, once that has been told."""
        now = self._clock.now()
        self.rung = now >= self._deadline
        if self._bookmark_at is None or now < self._bookmark_at:
            return False
        self._bookmark_at = next_bookmark(now, self._deadline)
        self._timer = self._set()
        return True

    def stop(self) -> None:
        """Interrupts nothing any more."""
        self._timer.cancel()

    def _set(self) -> Timer:
        return self._clock.call_at(self._bookmark_at or self._deadline, self._ring)

    def _ring(self) -> None:
        self.rung = True
        self._watching.interrupt()


def next_bookmark(now: datetime, deadline: datetime) -> datetime | None:
    """When a watch that gets a bookmark every minute, and one shortly before its end, gets the next one."""
    last = deadline - LAST_BOOKMARK
    return min(now + BOOKMARK_PERIOD, last) if last > now else None


def event_writer(request: ResourceRequest) -> EventWriter:
    """How events are written for this client."""
    representation = request.representation
    encodings = request.encodings
    if representation.is_protobuf and representation.kind in ("", "PartialObjectMetadata"):
        messages = request.messages
        return lambda event: encodings.event_frame(event, messages, representation.version)
    if not representation.kind:
        return encodings.event_line
    if representation.kind == "Table":
        return _TableEvents(request)
    if representation.kind == "PartialObjectMetadataList":
        return _no_list
    return lambda event: encodings.event_line(event, representation.version, request.resource)


class _TableEvents:
    """Each event is a Table of one row; the first brings the columns."""

    def __init__(self, request: ResourceRequest) -> None:
        self._writer = request.table_writer()
        self._columns = True

    def __call__(self, event: WatchEvent) -> bytes:
        metadata = {"resourceVersion": event.object.resource_version}
        table = self._writer.of_one(event.object, metadata, columns=self._columns).text()
        self._columns = False
        return event_line(event.type, table.removesuffix(b"\n"))


def _no_list(event: WatchEvent) -> bytes:
    """An object is no list: such a watch ends with its first event, and the reference does not say why."""
    raise WatchEnded


class WatchResponse:
    """Sends each batch as a chunk, until the client leaves."""

    status_code: Final = 200

    def __init__(
        self, lines: AsyncGenerator[bytes, None], warnings: Sequence[str] = (), content_type: str = JSON
    ) -> None:
        self._lines = lines
        self._headers = [(b"content-type", content_type.encode())]
        self._headers += [(b"warning", header.encode()) for header in warning_headers(warnings)]

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        task = asyncio.current_task()
        assert task is not None
        leaving = asyncio.ensure_future(_departure(receive))
        leaving.add_done_callback(lambda _: leaving.cancelled() or task.cancel())
        try:
            async with aclosing(self._lines) as lines:
                await send({"type": "http.response.start", "status": 200, "headers": self._headers})
                async for piece in lines:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except asyncio.CancelledError:
            if not leaving.done():
                raise
        finally:
            leaving.cancel()


async def _departure(receive: Receive) -> None:
    """Returns when the client has left."""
    while (await receive())["type"] not in ("http.disconnect", "websocket.disconnect"):
        pass


class WebSocketWatch:
    """Sends each line of a watch as a text frame; messages in protobuf as `binary` ones, without their lengths."""

    status_code: Final = 101

    def __init__(self, lines: AsyncGenerator[bytes, None], *, binary: bool = False) -> None:
        self._lines = lines
        self._binary = binary

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one upgrade."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        sending = asyncio.ensure_future(self._send(socket))
        leaving = asyncio.ensure_future(_departure(receive))
        # Who has left is told nothing more: the watch would wait for its next event, and end only then.
        leaving.add_done_callback(lambda _: sending.cancel())
        try:
            await sending
        except WebSocketDisconnect:
            return
        except asyncio.CancelledError:
            if not leaving.done():
                raise
        finally:
            leaving.cancel()

    async def _send(self, socket: WebSocket) -> None:
        async with aclosing(self._lines) as batches:
            async for lines in batches:
                if self._binary:
                    for message in unframed(lines):
                        await socket.send_bytes(message)
                    continue
                for line in lines.splitlines():
                    await socket.send_text(line.decode())
        await socket.close()


def _server_sent(lines: AsyncIterator[bytes]) -> ASGIApp:
    """Each line as an event that browsers read."""
    from sse_starlette import EventSourceResponse, ServerSentEvent  # noqa: PLC0415  for few, who may wait for it

    async def events() -> AsyncIterator[ServerSentEvent]:
        async for batch in lines:
            for line in batch.splitlines():
                yield ServerSentEvent(line.decode())

    return EventSourceResponse(events())
