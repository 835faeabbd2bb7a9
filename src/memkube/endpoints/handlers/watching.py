"""Watch responses: events as lines of JSON, frames of protobuf, server-sent events, or WebSocket frames.

This module also decides when bookmarks are sent.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope
from starlette.websockets import WebSocket, WebSocketDisconnect

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.endpoints.handlers.resource_request import ResourceRequest
from memkube.endpoints.requests.negotiation import EVENT_STREAM, JSON, PROTOBUF_STREAM, WATCH_TYPES, YAML, only_accepted
from memkube.endpoints.responses.encodings import event_line
from memkube.endpoints.responses.messages import general_message, unframed, watch_frame
from memkube.endpoints.responses.responses import status_of, warning_headers
from memkube.endpoints.transport import BodyWriter, body_writer
from memkube.registry.declarations.request_options import WatchOptions
from memkube.registry.reads.watch_events import WatchEnded, WatchEvent
from memkube.registry.reads.watching import ObjectWatch
from memkube.telemetry.measures import EventSizes
from memkube.time.clock import Clock, Timer

BOOKMARK_PERIOD = timedelta(minutes=1)
LAST_BOOKMARK = timedelta(seconds=2)
"""Time by which the last bookmark of a watch precedes the end of the watch."""
LONGEST_SECONDS = 3600.0


_PIECE_BYTES: Final = 96 * 1024

EventWriter: TypeAlias = Callable[[WatchEvent], bytes]
"""Function that encodes a watch event: as a line of JSON, or as a protobuf message preceded by its length."""
ErrorWriter: TypeAlias = Callable[[Document], bytes]
"""Function that encodes a watch event of type ERROR; its argument is the Status in the event."""


async def watch(request: ResourceRequest, options: WatchOptions) -> ASGIApp:
    """Return the response that streams a watch. Raises ApiError if the watch is rejected before its first event."""
    watching = request.store.watch(request.address.namespace, options, lambda: request)
    writer = body_writer(request.scope)
    record = request.record
    record.watching = watching
    if writer is not None:
        record.unsent = writer.unsent_bytes
    representation = request.representation
    if representation.media_type == YAML:
        raise only_accepted(WATCH_TYPES)
    address, is_socket = request.address, request.scope["type"] == "websocket"
    is_event_stream = representation.media_type == EVENT_STREAM
    if representation.kind or representation.is_protobuf or is_event_stream:
        writer = None
    stream = EventStream(
        watching,
        options,
        request.store.clock,
        event_writer(request),
        _error_frame if representation.is_protobuf else _error_line,
        request.measures.events[address.group, address.version, address.resource],
        writer,
    )
    if is_socket:
        return WebSocketWatch(stream.pieces(), binary=representation.is_protobuf)
    if is_event_stream:
        return _server_sent(stream.pieces())
    return WatchResponse(stream.pieces(), request.warnings, PROTOBUF_STREAM if representation.is_protobuf else JSON)


def _error_line(status: Document) -> bytes:
    return to_json({"type": "ERROR", "object": status}) + b"\n"


def _error_frame(status: Document) -> bytes:
    return watch_frame("ERROR", general_message(status))


class EventStream:
    """Encodes the events of one watch, until it times out by the server's clock, or its history is compacted.

    If the transport offers a BodyWriter, a callback writes events as they happen. With many watchers, that is faster:
    waking a task for each watcher takes several times as long as writing the event. The task wakes only for bookmarks,
    errors and the end of the watch, and if the client reads slowly.
    """

    def __init__(
        self,
        watching: ObjectWatch,
        options: WatchOptions,
        clock: Clock,
        write: EventWriter,
        write_error: ErrorWriter,
        sizes: EventSizes,
        body_writer: BodyWriter | None = None,
    ) -> None:
        """Create the stream of the events of `watching`.

        `write` encodes an event, and `write_error` encodes the Status that reports a failure. `options` has the timeout
        of the watch, which `clock` measures. `sizes` is the metric that counts events and bytes. `body_writer` is None
        if the transport offers no BodyWriter.
        """
        self._watching = watching
        self._options = options
        self._clock = clock
        self._write = write
        self._write_error = write_error
        self._sizes = sizes
        self._body_writer = body_writer

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the pieces of the response's body.

        The first piece is empty: it is yielded once the watch is established, so that the response can begin. The
        timeout of the watch starts when the second piece is requested.
        """
        alarm: _Alarm | None = None
        watching = self._watching
        try:
            await watching.start()
            yield b""
            events: Sequence[WatchEvent] = ()
            alarm = _Alarm(watching, self._options, self._clock)
            while True:
                for piece in self._encoded(events):
                    yield piece
                watching.sent += len(events)
                if alarm.is_due and alarm.is_over():
                    return
                if not alarm.is_due:
                    watching.is_waiting = True
                    if self._body_writer is not None:
                        await self._write_directly(self._body_writer, alarm)
                    events = () if alarm.went_off() else await watching.next()
                    watching.is_waiting = False
                else:
                    events = watching.bookmarks() if alarm.wants_bookmark() else ()
        except WatchEnded:
            return
        except ApiError as error:
            yield self._write_error(status_of(error))
        finally:
            if alarm is not None:
                alarm.stop()

    def _encoded(self, events: Sequence[WatchEvent]) -> Iterable[bytes]:
        """Return the encoded events as pieces of the response body.

        Small events are joined to one piece. Events of a later piece are encoded only when that piece is requested.
        """
        if len(events) == 1:
            line = self._write(events[0])
            self._sizes.count(len(line))
            return (line,)
        return self._joined(events)

    def _joined(self, events: Sequence[WatchEvent]) -> Iterator[bytes]:
        lines: list[bytes] = []
        size = 0
        for event in events:
            line = self._write(event)
            lines.append(line)
            self._sizes.count(len(line))
            size += len(line)
            if size > _PIECE_BYTES:
                yield b"".join(lines)
                lines, size = [], 0
        if lines:
            yield b"".join(lines)

    async def _write_directly(self, body_writer: BodyWriter, alarm: "_Alarm") -> None:
        """Let a callback write events to `body_writer` as they happen, until the watch's task has to act.

        The task has to act when `alarm` goes off (for a bookmark or the timeout), or if the client reads slowly.
        Raises the same errors as :meth:`ObjectWatch.next`.
        """
        watching = self._watching
        if not (watching.is_plain and body_writer.is_writable):
            return
        stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def write_ready() -> None:
            if stopped.done():
                return
            try:
                events = watching.ready() if body_writer.is_writable and not alarm.is_due else None
                if events is None:
                    stopped.set_result(None)
                    return
                for piece in self._encoded(events):
                    body_writer.write(piece)
            except Exception as error:
                stopped.set_exception(error)
                return
            watching.sent += len(events)
            watching.call_when_ready(write_ready)

        watching.call_when_ready(write_ready)
        try:
            await stopped
        finally:
            # Even if this task was cancelled, the watch must no longer call `write_ready`.
            watching.interrupt()


class _Alarm:
    """Timer of one watch, for its next bookmark and its timeout."""

    def __init__(self, watching: ObjectWatch, options: WatchOptions, clock: Clock) -> None:
        self._watching = watching
        self._clock = clock
        self.is_due = True
        """True if a bookmark or the end may be due. Reading the clock for each event instead would be slow."""
        now = clock.now()
        self._deadline = now + timedelta(seconds=options.timeout_seconds or LONGEST_SECONDS)
        self._bookmark_at = next_bookmark(now, self._deadline) if options.bookmarks else None
        self._timer = self._set()

    def went_off(self) -> bool:
        """Return `is_due`: True if a bookmark or the timeout of the watch may be due.

        This is a method because type checkers assume that an attribute has the same value after an ``await``.
        """
        return self.is_due

    def is_over(self) -> bool:
        """Return True once the timeout of the watch has passed, and no bookmark is due.

        On a busy machine, both may be due when the watch is served next.
        """
        return self._bookmark_at is None and self._clock.now() >= self._deadline

    def wants_bookmark(self) -> bool:
        """Return True once for each bookmark that is due, and set the timer for the next one."""
        now = self._clock.now()
        self.is_due = now >= self._deadline
        if self._bookmark_at is None or now < self._bookmark_at:
            return False
        self._bookmark_at = next_bookmark(now, self._deadline)
        self._timer = self._set()
        return True

    def stop(self) -> None:
        """Cancel the timer for the next bookmark and the timeout."""
        self._timer.cancel()

    def _set(self) -> Timer:
        return self._clock.call_at(self._bookmark_at or self._deadline, self._ring)

    def _ring(self) -> None:
        self.is_due = True
        self._watching.interrupt()


def next_bookmark(now: datetime, deadline: datetime) -> datetime | None:
    """Return the time of the next bookmark: a minute after `now`, or if earlier, shortly before `deadline`.

    `deadline` is the time at which the watch times out. Return None if no time is left for another bookmark.
    """
    last = deadline - LAST_BOOKMARK
    return min(now + BOOKMARK_PERIOD, last) if last > now else None


def event_writer(request: ResourceRequest) -> EventWriter:
    """Return the function that encodes events in the representation that the client requested."""
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
    """Encodes each event as a Table with one row. Only the first Table contains the column definitions."""

    def __init__(self, request: ResourceRequest) -> None:
        self._writer = request.table_writer()
        self._columns = True

    def __call__(self, event: WatchEvent) -> bytes:
        metadata = {"resourceVersion": event.object.resource_version}
        table = self._writer.of_one(event.object, metadata, columns=self._columns).text()
        self._columns = False
        return event_line(event.type, table.removesuffix(b"\n"))


def _no_list(event: WatchEvent) -> bytes:
    """End the watch at its first event.

    The client accepts only PartialObjectMetadataList, but an event contains one object. kube-apiserver ends such
    watches too.
    """
    raise WatchEnded


class WatchResponse:
    """Response that streams a watch to the client, one piece of the body at a time, until the client disconnects."""

    status_code: Final = 200

    def __init__(
        self, lines: AsyncGenerator[bytes, None], warnings: Sequence[str] = (), content_type: str = JSON
    ) -> None:
        self._lines = lines
        self._headers = [(b"content-type", content_type.encode())]
        self._headers += [(b"warning", header.encode()) for header in warning_headers(warnings)]

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Send the headers at once, to tell the client that the watch is established, and then the events."""
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
    """Wait until the client of the watch disconnects."""
    while (await receive())["type"] not in ("http.disconnect", "websocket.disconnect"):
        pass


class WebSocketWatch:
    """Serves a watch over a WebSocket.

    Each line of JSON is a text frame. Each protobuf message is a binary frame, without the length that precedes it in
    other watches.
    """

    status_code: Final = 101

    def __init__(self, lines: AsyncGenerator[bytes, None], *, binary: bool = False) -> None:
        self._lines = lines
        self._binary = binary

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Accept the WebSocket handshake and send each watch event as a frame."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        sending = asyncio.ensure_future(self._send(socket))
        leaving = asyncio.ensure_future(_departure(receive))
        # Without this callback, the watch of a client that has disconnected would end only at its next event.
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
    """Return a response that sends each of the JSON lines `lines` as a server-sent event, which browsers can read."""

    async def events() -> AsyncIterator[ServerSentEvent]:
        async for batch in lines:
            for line in batch.splitlines():
                yield ServerSentEvent(line.decode())

    return EventSourceResponse(events())
