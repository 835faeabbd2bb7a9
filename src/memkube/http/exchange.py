"""One request and its response on an HTTP/1.1 connection, as an ASGI application sees them."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Final

from starlette.types import ASGIApp, Message, Scope
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl

from memkube.endpoints.transport import WHOLE
from memkube.faults.active import ConnectionDropped

_LOGGER: Final = logging.getLogger("uvicorn.error")
_STATUS_LINES: Final = {code.value: f"HTTP/1.1 {code} {code.phrase}\r\n".encode() for code in HTTPStatus}
_LAST_CHUNK: Final = b"0\r\n\r\n"
_BODILESS: Final = frozenset({204, 304})
_COPIED: Final = 64 * 1024
"""Maximum size in bytes of a body that is copied into one buffer with its headers.

A longer body is passed to the write separately, without a copy.
"""


class Exchange:
    """One request and its response. Headers and body are sent in one write, and so is each piece of a streamed body.

    The headers of a response without Content-Length are sent at once, in the same turn of the event loop, even if no
    piece of the body follows. Sending raises RuntimeError if an ASGI message is out of order, or if a header value has
    a line break.
    """

    __slots__ = (
        "_body",
        "_chunked",
        "_common",
        "_flow",
        "_head",
        "_missing",
        "_news",
        "_on_complete",
        "_started",
        "_transport",
        "_waiter",
        "_wants_body",
        "disconnected",
        "keep_alive",
        "more_body",
        "response_complete",
        "scope",
        "waits_for_continue",
    )

    def __init__(
        self,
        scope: Scope,
        transport: asyncio.Transport,
        flow: FlowControl,
        common: bytes,
        on_complete: Callable[[], None],
    ) -> None:
        """Create the exchange for a request whose headers have arrived.

        `common` are the header lines that the server adds to each response, such as Date. `flow` pauses reading from
        and writing to `transport`. `on_complete` is called once the response is complete.
        """
        self.scope = scope
        self._transport = transport
        self._flow = flow
        self._common = common
        self._on_complete = on_complete
        self.keep_alive = True
        self.waits_for_continue = False
        self.disconnected = False
        self.more_body = True
        self.response_complete = False
        self._body: list[bytes] = []
        self._news = False
        self._waiter: asyncio.Future[None] | None = None
        self._started = False
        self._head: bytes | None = None
        self._chunked = False
        self._missing: int | None = None
        self._wants_body = True

    def feed(self, data: bytes) -> None:
        """Receive a piece of the request's body; pause reading if the application does not keep up."""
        self._body.append(data)
        if len(data) > HIGH_WATER_LIMIT or sum(map(len, self._body)) > HIGH_WATER_LIMIT:
            self._flow.pause_reading()
        self._notify()

    def feed_eof(self) -> None:
        """Tell the application that the request's body is complete."""
        self.more_body = False
        self._notify()

    def connection_lost(self) -> None:
        """Tell the application that the client has disconnected."""
        if not self.response_complete:
            self.disconnected = True
        self._notify()

    async def run(self, app: ASGIApp) -> None:
        """Run the application. If it fails, send 500 or close the connection."""
        try:
            await app(self.scope, self.receive, self.send)
        except ConnectionDropped:
            self._transport.abort()
        except BaseException:  # A request that is cancelled at shutdown gets a response, too.
            _LOGGER.exception("Exception in ASGI application")
            self._give_up()
        else:
            if not self.response_complete and not self.disconnected:
                _LOGGER.error("ASGI callable returned without completing response.")
                self._give_up()

    async def receive(self) -> Message:
        """Return the next ASGI message for the application: a piece of the body, or the disconnect."""
        if self.waits_for_continue and not self._transport.is_closing():
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.waits_for_continue = False
        if not self.disconnected and not self.response_complete:
            self._flow.resume_reading()
            while not self._news:
                self._waiter = asyncio.get_running_loop().create_future()
                await self._waiter
            self._news = False
        if self.disconnected or self.response_complete:
            return {"type": "http.disconnect"}
        body, self._body = b"".join(self._body), []
        return {"type": "http.request", "body": body, "more_body": self.more_body}

    async def send(self, message: Message) -> None:
        """Send the contents of an ASGI message of the application to the client: status and headers, or body."""
        if self._flow.write_paused and not self.disconnected:
            await self._flow.drain()
        if self.disconnected:
            return
        kind = message["type"]
        if kind == WHOLE and not self._started:
            self._answer(message["status"], message["headers"], message["pieces"])
        elif kind == "http.response.body" and self._started and not self.response_complete:
            self._send_body(message.get("body", b""), more=message.get("more_body", False))
        elif kind == "http.response.start" and not self._started:
            self._start(message["status"], message.get("headers", ()))
        else:
            raise RuntimeError(f"Unexpected ASGI message '{kind}'.")

    @property
    def is_writable(self) -> bool:
        """True while the body is being streamed and the client keeps up with it."""
        streams = self._chunked and self._head is None and self._wants_body and not self.response_complete
        return streams and not self.disconnected and not self._flow.write_paused

    def write(self, piece: bytes) -> None:
        """Write a piece of the streamed response body."""
        if self._chunked and self._head is None and self._wants_body and 0 < len(piece) <= _COPIED:
            # This code must be fast, because it runs most often: a watch event is written for each of a thousand
            # watchers.
            self._transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        else:
            self._send_body(piece, more=True)

    def unsent_bytes(self) -> int:
        """Return the number of bytes that wait in the connection's write buffer."""
        return self._transport.get_write_buffer_size()

    def _answer(self, status: int, headers: Sequence[tuple[bytes, bytes]], pieces: Sequence[bytes]) -> None:
        head, count = b"".join([b"%b: %b\r\n" % header for header in headers]), len(headers)
        if head.count(b"\r") != count or head.count(b"\n") != count:
            raise RuntimeError("the value of a response header contains a line break")
        if not self.keep_alive or status in _BODILESS or self.scope["method"] == "HEAD" or b"connection:" in head:
            self._start(status, headers)
            self._send_body(b"".join(pieces), more=False)
            return
        self._started = True
        self.waits_for_continue = False
        whole = (_STATUS_LINES[status], self._common, head, b"\r\n", *pieces)
        if sum(map(len, pieces)) <= _COPIED:
            self._transport.write(b"".join(whole))
        else:
            self._transport.writelines(whole)
        self._complete()

    def _start(self, status: int, headers: Any) -> None:
        lines = [_STATUS_LINES[status], self._common]
        length, closes = -1, False
        for name, value in headers:
            if b"\n" in value or b"\r" in value:
                raise RuntimeError("the value of a response header contains a line break")
            if name == b"content-length":
                length = int(value)
            elif name == b"connection" and b"close" in value.lower():
                closes = True
                self.keep_alive = False
            lines += (name, b": ", value, b"\r\n")
        self._started = True
        self.waits_for_continue = False
        self._wants_body = self.scope["method"] != "HEAD" and status not in _BODILESS
        self._missing = length if length >= 0 else None
        if length < 0 and self._wants_body:
            # HTTP/1.0 has no chunked encoding: closing the connection ends the response.
            self._chunked = self.scope["http_version"] == "1.1"
            if self._chunked:
                lines.append(b"transfer-encoding: chunked\r\n")
            else:
                self.keep_alive = False
            asyncio.get_running_loop().call_soon(self._flush)
        if not self.keep_alive and not closes:
            lines.append(b"connection: close\r\n")
        lines.append(b"\r\n")
        self._head = b"".join(lines)

    def _flush(self) -> None:
        head, self._head = self._head, None
        if head is not None and not self.disconnected:
            self._transport.write(head)

    def _send_body(self, body: bytes, *, more: bool) -> None:
        if self._chunked and more and self._head is None and self._wants_body and len(body) <= _COPIED:
            if body:
                self._transport.write(b"%x\r\n%b\r\n" % (len(body), body))
            return
        before, after = self._head or b"", b""
        self._head = None
        if not self._wants_body:
            self._missing, body = None, b""
        elif self._chunked:
            if body:
                before, after = b"%s%x\r\n" % (before, len(body)), b"\r\n"
            if not more:
                after += _LAST_CHUNK
        elif self._missing is not None:
            self._missing -= len(body)
            if self._missing < 0 or (self._missing and not more):
                raise RuntimeError("Response content is not as long as its Content-Length")
        if len(body) <= _COPIED:
            if written := before + body + after:
                self._transport.write(written)
        else:
            self._transport.writelines((before, body, after) if after else (before, body))
        if not more:
            self._complete()

    def _complete(self) -> None:
        self.response_complete = True
        self._notify()
        if not self.keep_alive:
            self._transport.close()
        self._on_complete()

    def _give_up(self) -> None:
        if self.disconnected:
            return
        if self._started and self._head is None:
            self._transport.close()
            return
        self._head, self._started, self._chunked = None, False, False
        text = b"Internal Server Error"
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(text))]
        self._start(500, [*headers, (b"connection", b"close")])
        self._send_body(text, more=False)

    def _notify(self) -> None:
        self._news = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
