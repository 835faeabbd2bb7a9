"""A gRPC connection to a member of etcd: HTTP/2 on the event loop (``PROTOCOL-HTTP2.md`` of gRPC).

Other gRPC clients for Python are slower; the measurements are in ``docs/internals/etcd.md``.
"""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Self, TypeAlias, cast

from h2 import events
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings

from memkube.storage.etcd.call import UNAVAILABLE, CallFailed, GrpcCall

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
_KEEPALIVE_SECONDS: Final = 6.0
"""Seconds without received data after which a ping is sent. etcd accepts at most one ping in five seconds."""
_KEEPALIVE_TIMEOUT: Final = 3.0
"""Seconds to wait for data after a ping. Without data, the connection is closed."""
_WINDOW: Final = 8 * 1024 * 1024
"""HTTP/2 flow control window: maximum number of bytes that etcd sends before this client has processed them."""
_LAST_STREAM: Final = 2**30
"""Highest HTTP/2 stream number that is used. After that, a new connection is opened.

Clients can use odd numbers up to 2**31.
"""
_CONFIG: Final = {
    "client_side": True,
    "header_encoding": None,
    "validate_outbound_headers": False,
    "normalize_outbound_headers": False,
    "validate_inbound_headers": False,
    "normalize_inbound_headers": False,
}


class GrpcConnection(asyncio.Protocol):
    """One HTTP/2 connection for many gRPC calls.

    A connection that accepts no more calls (`accepts_calls`) is closed when its last call ends.
    """

    def __init__(self, authority: bytes, scheme: bytes) -> None:
        config = cast("dict[str, Any]", _CONFIG)
        self.http = H2Connection(H2Configuration(**config))
        self.accepts_calls = True
        """False if new calls must use another connection."""
        self._head = ((b":method", b"POST"), (b":scheme", scheme), (b":authority", authority))
        self._calls: dict[int, GrpcCall] = {}
        self._flushes = False
        self._received_data = True
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None
        self._settings_received: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def open(cls, endpoint: str, tls: ssl.SSLContext | None) -> Self:
        """Connect to `endpoint`, given as ``HOST:PORT``, and wait for etcd's HTTP/2 settings.

        If `tls` is None, the connection is not encrypted. Raises OSError if the connection fails.
        """
        host, _, port = endpoint.rpartition(":")
        authority = f"[{host}]:{port}" if ":" in host else endpoint
        made = partial(cls, authority.encode(), b"http" if tls is None else b"https")
        _, connection = await asyncio.get_running_loop().create_connection(made, host, int(port), ssl=tls)
        try:
            await connection._settings_received
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def is_open(self) -> bool:
        """True if the connection is not closed."""
        return self._transport is not None

    def call(self, path: bytes, headers: Headers, take: Callable[[bytes], None]) -> GrpcCall:
        """Begin a call. Received messages are passed to `take`. Raises CallFailed if the connection is closed."""
        try:
            stream = self.http.get_next_available_stream_id()
            self.http.send_headers(stream, [*self._head, (b":path", path), *headers])
        except ProtocolError as error:
            raise CallFailed(UNAVAILABLE, f"cannot make a call: {error}") from None
        self.accepts_calls = self.accepts_calls and stream < _LAST_STREAM
        call = self._calls[stream] = GrpcCall(self, stream, take)
        return call

    def cancel_call(self, call: GrpcCall) -> None:
        """Reset the HTTP/2 stream of a call."""
        if self._calls.pop(call.stream, None) is not None:
            self.http.reset_stream(call.stream, ErrorCodes.CANCEL)
            self.flush_soon()
            self._close_if_drained()

    def close(self) -> None:
        """Close the connection. Calls in progress fail."""
        self.accepts_calls = False
        if self._timer is not None:
            self._timer.cancel()
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abort()
        if not self._settings_received.done():
            self._settings_received.set_exception(ConnectionResetError("etcd closed the connection"))
            self._settings_received.exception()
        self._fail(CallFailed(UNAVAILABLE, "the connection was closed"))

    def flush_soon(self) -> None:
        """Send all pending data in one write, at the end of this iteration of the event loop."""
        if not self._flushes:
            self._flushes = True
            self._loop.call_soon(self._flush)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        wanted = {SettingCodes.ENABLE_PUSH: 0, SettingCodes.INITIAL_WINDOW_SIZE: _WINDOW}
        self.http.local_settings = Settings(client=True, initial_values=wanted)
        self.http.initiate_connection()
        self.http.increment_flow_control_window(_WINDOW)
        self._timer = self._loop.call_later(_KEEPALIVE_SECONDS, self._check_silence)
        self._flush()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self.close()

    def data_received(self, data: bytes) -> None:
        self._received_data = True
        try:
            for event in self.http.receive_data(data):
                self._handle(event)
        except ProtocolError:
            self._flush()
            self.close()
        else:
            self.flush_soon()

    def _handle(self, event: events.Event) -> None:
        match event:
            case events.DataReceived(stream_id=stream, data=data, flow_controlled_length=length):
                self.http.acknowledge_received_data(length or 0, stream or 0)
                if (call := self._calls.get(stream or 0)) is not None:
                    call.receive(data or b"")
            case events.ResponseReceived() | events.TrailersReceived():
                if (call := self._calls.get(event.stream_id or 0)) is not None:
                    call.note(cast("Headers", event.headers or ()))
            case events.StreamEnded(stream_id=stream):
                self._end(stream, None)
            case events.StreamReset(stream_id=stream):
                self._end(stream, CallFailed(UNAVAILABLE, "etcd reset the stream of a call"))
            case events.WindowUpdated() | events.RemoteSettingsChanged():
                self._continue_sending()
            case events.ConnectionTerminated():
                self.close()

    def _continue_sending(self) -> None:
        if not self._settings_received.done():
            self._settings_received.set_result(None)
        for call in list(self._calls.values()):
            call.continue_sending()

    def _end(self, stream: int | None, error: CallFailed | None) -> None:
        call = self._calls.pop(stream or 0, None)
        if call is not None:
            call.end(error)
            self._close_if_drained()

    def _close_if_drained(self) -> None:
        if not self.accepts_calls and not self._calls:
            self.close()

    def _flush(self) -> None:
        self._flushes = False
        if self._transport is not None and (data := self.http.data_to_send()):
            self._transport.write(data)

    def _check_silence(self) -> None:
        """Send a ping if nothing was received since the last check, to detect a member that no longer responds."""
        if self._received_data:
            self._received_data = False
            self._timer = self._loop.call_later(_KEEPALIVE_SECONDS, self._ping)

    def _ping(self) -> None:
        if self._received_data:
            self._check_silence()
            return
        self.http.ping(b"memkube.")
        self._flush()
        self._timer = self._loop.call_later(_KEEPALIVE_TIMEOUT, self._check_pong)

    def _check_pong(self) -> None:
        if self._received_data:
            self._check_silence()
        else:
            self._fail(CallFailed(UNAVAILABLE, "etcd does not answer pings"))
            self.close()

    def _fail(self, error: CallFailed) -> None:
        calls, self._calls = self._calls, {}
        for call in calls.values():
            call.end(error)
