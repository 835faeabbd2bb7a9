"""The HTTP/1.1 protocol of a connection.

It answers requests as kube-apiserver does, also where uvicorn or httptools would answer differently.
"""

import asyncio
import logging
import re
import sys
from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import httptools
from starlette.types import ASGIApp, Scope
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.go_strings import go_string
from memkube.apimachinery.json_text import to_json
from memkube.endpoints.responses.responses import generic_refusal, status_of
from memkube.endpoints.transport import BODY_WRITER, CLIENT_CERTIFICATES, SPDY, WHOLE
from memkube.http.exchange import Exchange
from memkube.http.options import ConnectionLimits
from memkube.http.request_starts import RequestStarts
from memkube.http.upgrade import UpgradeProtocol

_REQUEST_LINE: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+ /\S* HTTP/1\.[01]\r\n")
_LOGGER: Final = logging.getLogger("memkube")
_TLS_HANDSHAKE: Final = b"\x16\x03"
"""The first two bytes of a TLS handshake: the type of the record and the major version."""
_TOO_LARGE: Final = "431 Request Header Fields Too Large"
_OTHER_VERSION: Final = "505 HTTP Version Not Supported: unsupported protocol version"
_LINE_ENDS: Final = 4
"""Number of bytes of a header line apart from its name and its value: colon, space and line break."""


class _State(Enum):
    """The states of a connection that have time limits."""

    HEAD = auto()
    """The server waits for the headers of a request. The time for the first request starts with the connection."""
    BUSY = auto()
    IDLE = auto()
    """The last response is complete, and no bytes of another request have arrived."""


class HttpProtocol(HttpToolsProtocol):
    """Serves the requests of one connection, each as an Exchange, within the connection's limits.

    A method that the parser does not know is answered with a Status 405 instead of a parser error, because any token is
    a valid method (RFC 9110, 9.1). Requests that ask for SPDY/3.1 are served by an UpgradeProtocol.

    As in Go's net/http, headers that are too large are answered with 431 (MaxHeaderBytes). The connection is closed if
    headers take too long to arrive (ReadHeaderTimeout), or if it is idle for too long (IdleTimeout).
    """

    cycle: Exchange | None  # type: ignore[assignment]  # replaces uvicorn's RequestResponseCycle
    pipeline: deque[tuple[Exchange, ASGIApp]]  # type: ignore[assignment]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        limits: ConnectionLimits,
        starts: RequestStarts,
        is_proxied: Callable[[str], bool],
    ) -> None:
        """Create the protocol for one connection. The first four parameters are those of uvicorn's protocol.

        `limits` are the limits of the connection, and `starts` decides when each request starts. `is_proxied` returns
        True if requests for a path, including upgrades, are proxied to another server.
        """
        super().__init__(config, server_state, app_state, _loop)
        self._limits = limits
        self._starts = starts
        self._is_proxied = is_proxied
        self._extensions: dict[str, object] = {WHOLE: {}, BODY_WRITER: self._body_writer}
        self._data = b""
        self._in_head = False
        self._head_size = 0
        self._state = _State.HEAD
        self._since = 0.0
        self._watchdog: asyncio.TimerHandle | None = None
        self._common: tuple[list[tuple[bytes, bytes]], bytes] = ([], b"")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # the same type as in uvicorn's class
        """Start the time limit of the first request."""
        super().connection_made(transport)
        if chain := transport.get_extra_info(CLIENT_CERTIFICATES):
            self._extensions[CLIENT_CERTIFICATES] = chain
        self._enter(_State.HEAD)
        self._watch(self._limits.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the current request and the pipelined ones that the client has disconnected."""
        self._stop_watching()
        self.connections.discard(self)
        if self.cycle is not None:
            self.cycle.connection_lost()
            if self.cycle.response_complete:
                self.cycle = None
        if self.flow is not None:
            self.flow.resume_writing()
        if exc is None:
            self.transport.close()
        self._extensions.clear()
        self.parser = None  # type: ignore[assignment]  # the parser and the protocol refer to each other, as does the exchange

    def data_received(self, data: bytes) -> None:
        """Parse received bytes.

        The bytes are kept until the next ones arrive, because the response to a malformed request depends on what the
        client sent: for example, a TLS handshake on a port without TLS gets a response of its own.
        """
        self._data = data
        if self._state is _State.IDLE:
            self._enter(_State.HEAD)
        super().data_received(data)
        if self._in_head and not self.transport.is_closing():
            self._head_size += len(data)
            if self._head_size > self._limits.header_bytes:
                self._refuse_head(_TOO_LARGE)
            elif self._state is _State.HEAD and self._head_size == len(data):
                self._watch(self._limits.header_seconds)

    def on_message_begin(self) -> None:
        """Begin a request, which may have been sent before the last response is complete (pipelining)."""
        super().on_message_begin()
        self._in_head = True

    def on_headers_complete(self) -> None:
        """Start the request; queue it if earlier requests of the connection are not answered yet."""
        too_large = self._head_size + len(self._data) > self._limits.header_bytes and self._exact_size() > (
            self._limits.header_bytes
        )
        self._in_head, self._head_size = False, 0
        self._state = _State.BUSY
        if self.transport.is_closing():
            return
        version = self.parser.get_http_version()
        if too_large or not version.startswith("1."):
            self._refuse_head(_TOO_LARGE if too_large else _OTHER_VERSION)
            return
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]  # the keys set below are still missing
        scope["method"] = self.parser.get_method().decode("ascii")
        if version != "1.1":
            scope["http_version"] = version
        if self.parser.should_upgrade() and self._should_upgrade():
            return
        self._locate(scope)
        scope["extensions"] = self._extensions
        exchange = Exchange(scope, self.transport, self.flow, self._common_lines(), self.on_response_complete)
        exchange.keep_alive = version != "1.0" and self.parser.should_keep_alive()
        exchange.waits_for_continue = self.expect_100_continue
        before, self.cycle = self.cycle, exchange
        if before is None or before.response_complete:
            self._begin(exchange, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((exchange, self.app))

    def on_body(self, body: bytes) -> None:
        """Pass a piece of the body to the application, unless the response is complete or the connection upgraded."""
        if (exchange := self._served()) is not None:
            exchange.feed(body)

    def on_message_complete(self) -> None:
        """Tell the application that the request's body is complete."""
        if (exchange := self._served()) is not None:
            exchange.feed_eof()

    def on_response_complete(self) -> None:
        """Start the next pipelined request, if there is one."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._begin(*self.pipeline.pop())
        elif self._in_head:
            self._enter(_State.HEAD)
            self._watch(self._limits.header_seconds)
        elif self._state is _State.BUSY:
            self._enter(_State.IDLE)

    def handle_websocket_upgrade(self) -> None:
        """Pass the connection to the handler of the upgrade: for WebSocket, for SPDY, or for a proxied request."""
        self._stop_watching()
        if not (self._asks_for_spdy() or self._asks_for_proxied_upgrade()):
            super().handle_websocket_upgrade()
            return
        scope: dict[str, Any] = dict(self.scope)
        self._locate(scope)
        scope["extensions"] = {CLIENT_CERTIFICATES: self._extensions.get(CLIENT_CERTIFICATES, ())}
        self.connections.discard(self)
        UpgradeProtocol(self.app, scope, self.transport, self.server_state).start()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that the parser refuses: with 405 if only its method is unknown, otherwise with 400."""
        if self.transport.is_closing():
            return
        if self._data.startswith(_TLS_HANDSHAKE):
            host, port = self.server or ("", None)
            _LOGGER.warning(
                "a client uses TLS at %s:%s, which serves plain HTTP: its URL must begin with http://", host, port
            )
        problem = sys.exception()
        if isinstance(problem, httptools.HttpParserInvalidMethodError) and _REQUEST_LINE.match(self._data):
            refusal = generic_refusal(405)
        else:
            refusal = bad_request(f"the request is not HTTP/1.1: {problem or msg}")
        line = f"{refusal.code} {HTTPStatus(refusal.code).phrase}"
        self._refuse(line, "application/json", to_json(status_of(refusal)) + b"\n")

    def _should_upgrade(self) -> bool:
        if self._asks_for_spdy() or self._asks_for_proxied_upgrade():
            return True
        # A request with a body is not upgraded: httptools would treat its body as data of the new protocol.
        return not self._has_body() and super()._should_upgrade()

    def _asks_for_spdy(self) -> bool:
        return self._get_upgrade() == SPDY.lower().encode() and not self._has_body()

    def _asks_for_proxied_upgrade(self) -> bool:
        """Return True if the request asks for an upgrade, and this server proxies its path to another server."""
        if self._get_upgrade() is None or self._has_body():
            return False
        scope: dict[str, Any] = dict(self.scope)
        self._locate(scope)
        return self._is_proxied(scope["path"])

    def _has_body(self) -> bool:
        return any(
            name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
            for name, value in self.headers
        )

    def _served(self) -> Exchange | None:
        """Return the exchange whose request body is being received; None if there is none."""
        upgrades = self.parser.should_upgrade() and self._should_upgrade()
        return None if upgrades or self.cycle is None or self.cycle.response_complete else self.cycle

    def _locate(self, scope: dict[str, Any]) -> None:
        # As for Go's server, a request has no fragment: a number sign is a part of the path or of the query.
        address = httptools.parse_url(self.url.replace(b"#", b"%23"))
        scope["path"] = self.root_path + go_string(unquote_to_bytes(address.path))
        scope["raw_path"] = self.root_path.encode("ascii") + address.path
        scope["query_string"] = address.query or b""
        if self.url.endswith(b"?") and not address.query:
            scope["has_empty_query"] = True

    def _begin(self, exchange: Exchange, app: ASGIApp) -> None:
        """Start a request at once or, if many requests have arrived, when it is the client's turn."""
        starts = self._starts
        if starts.left:
            starts.left -= 1
            self._start(exchange, app)
        else:
            starts.wait(exchange.scope, partial(self._start, exchange, app))

    def _start(self, exchange: Exchange, app: ASGIApp) -> None:
        task = self.loop.create_task(exchange.run(app))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def _body_writer(self, scope: Scope) -> Exchange | None:
        return self.cycle if self.cycle is not None and self.cycle.scope is scope else None

    def _common_lines(self) -> bytes:
        """Return the header lines that the server adds to each response, such as Date, which changes each second."""
        headers = self.server_state.default_headers
        if headers is not self._common[0]:
            self._common = (headers, b"".join(b"%s: %s\r\n" % header for header in headers))
        return self._common[1]

    def _exact_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + _LINE_ENDS for name, value in self.headers)

    def _refuse_head(self, line: str) -> None:
        self._refuse(line, "text/plain; charset=utf-8", line.encode())

    def _refuse(self, line: str, media_type: str, body: bytes) -> None:
        head = (
            f"HTTP/1.1 {line}\r\ncontent-type: {media_type}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

    def _enter(self, state: _State) -> None:
        self._state = state
        self._since = self.loop.time()

    def _watch(self, seconds: float) -> None:
        """Schedule a check of the connection's time limits in `seconds`, or earlier.

        Requests do not change the time of the check, so it comes early enough for a connection that becomes idle now.
        """
        self._stop_watching()
        self._watchdog = self.loop.call_later(min(seconds, self._limits.idle_seconds), self._check_time_limits)

    def _stop_watching(self) -> None:
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None

    def _check_time_limits(self) -> None:
        """Close the connection if it has exceeded a time limit.

        Otherwise set the timer for the remaining time.
        """
        self._watchdog = None
        if self.transport.is_closing():
            return
        limits = self._limits
        if self._state is _State.BUSY:
            self._watch(limits.idle_seconds)
            return
        allowed = limits.header_seconds if self._state is _State.HEAD else limits.idle_seconds
        left = self._since + allowed - self.loop.time()
        if left > 0:
            self._watch(left)
        else:
            self.transport.close()
