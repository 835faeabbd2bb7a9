"""WATCH: events as lines of JSON, as server-sent events, or one a WebSocket frame."""

import math
import time
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

import orjson
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope
from starlette.websockets import WebSocket, WebSocketDisconnect

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.endpoints.conversions import partial_metadata
from memkube.endpoints.errors import status_of
from memkube.endpoints.media_types import EVENT_STREAM
from memkube.endpoints.scope import Scope
from memkube.registry.options import WatchOptions
from memkube.registry.watching import ObjectWatch, WatchEnded, WatchEvent

BOOKMARK_SECONDS = 60.0
LAST_BOOKMARK_SECONDS = 2.0
"""How long before its end a watch gets a last bookmark to resume from."""
LONGEST_SECONDS = 3600.0


class EventWriter(Protocol):
    """Writes one watch event as a line of JSON."""

    def __call__(self, event: WatchEvent) -> bytes:
        """The line, with its line break."""


async def watch(scope: Scope, options: WatchOptions) -> ASGIApp:
    """Streams what happens to a collection. Raises ApiError before the first event."""
    watching = scope.store.watch(scope.address.namespace, options)
    lines = event_lines(watching, options, event_writer(scope))
    if scope.request.scope["type"] == "websocket":
        return WebSocketWatch(lines)
    if scope.representation.media_type == EVENT_STREAM:
        return EventSourceResponse(_server_sent(lines))
    return StreamingResponse(lines, media_type="application/json")


async def event_lines(watching: ObjectWatch, options: WatchOptions, write: EventWriter) -> AsyncIterator[bytes]:
    """The lines of a watch, until its time is up or its history is lost."""
    timeout = options.timeout_seconds or LONGEST_SECONDS
    deadline = time.monotonic() + timeout
    bookmark_at = next_bookmark(time.monotonic(), deadline) if options.bookmarks else math.inf
    try:
        events: Sequence[WatchEvent] = await watching.start()
        if events:
            yield b"".join([write(event) for event in events])
        while True:
            now = time.monotonic()
            if now >= bookmark_at:
                yield write(watching.bookmark())
                bookmark_at = next_bookmark(now, deadline)
            events = await watching.next(max(min(deadline, bookmark_at) - now, 0))
            if events:
                yield b"".join([write(event) for event in events])
            if time.monotonic() >= deadline:
                return
    except WatchEnded:
        return
    except ApiError as error:
        yield orjson.dumps({"type": "ERROR", "object": status_of(error)}) + b"\n"


def next_bookmark(now: float, deadline: float) -> float:
    """When a watch that gets a bookmark every minute, and one shortly before its end, gets the next one."""
    last = deadline - LAST_BOOKMARK_SECONDS
    if last <= now:
        return math.inf
    return min(now + BOOKMARK_SECONDS, last)


def event_writer(scope: Scope) -> EventWriter:
    """How events are written for this client."""
    representation = scope.representation
    if not representation.kind:
        return lambda event: event.object.watch_line(event.type)
    if representation.kind == "Table":
        return _TableEvents(scope)
    if representation.kind == "PartialObjectMetadataList":
        return _no_list
    return lambda event: _line(event, partial_metadata(event.object, representation.version))


class _TableEvents:
    """Each event is a Table of one row; the first brings the columns."""

    def __init__(self, scope: Scope) -> None:
        self._writer = scope.table_writer()
        self._columns = True

    def __call__(self, event: WatchEvent) -> bytes:
        metadata = {"resourceVersion": event.object.resource_version}
        table = self._writer.table([event.object], metadata, columns=self._columns)
        self._columns = False
        return _line(event, table)


def _no_list(event: WatchEvent) -> bytes:
    """An object is no list: such a watch ends with its first event, and the reference does not say why."""
    raise WatchEnded


class WebSocketWatch:
    """Sends each line of a watch as a text frame."""

    def __init__(self, lines: AsyncIterator[bytes]) -> None:
        self._lines = lines

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one upgrade."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        try:
            async for lines in self._lines:
                for line in lines.splitlines():
                    await socket.send_text(line.decode())
            await socket.close()
        except WebSocketDisconnect:
            return


async def _server_sent(lines: AsyncIterator[bytes]) -> AsyncIterator[ServerSentEvent]:
    async for batch in lines:
        for line in batch.splitlines():
            yield ServerSentEvent(line.decode())


def _line(event: WatchEvent, document: Document) -> bytes:
    return orjson.dumps({"type": event.type, "object": document}) + b"\n"
