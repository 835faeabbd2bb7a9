"""gRPC over one HTTP/2 connection to a member of etcd, on the event loop (``PROTOCOL-HTTP2.md`` of gRPC).

The library grpcio works in threads of its own, which take turns with the event loop: next to a loop that is busy, a
call cost five times what it costs here.
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

from memkube.storage.etcd.call import UNAVAILABLE, Call, CallFailed

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
_SILENT_SECONDS: Final = 6.0
"""After so long a silence etcd is sent a ping, of which it takes one every five seconds."""
_PING_SECONDS: Final = 3.0
"""How long it may then go on with it."""
_WINDOW: Final = 8 * 1024 * 1024
"""How many bytes of an answer may come ahead of what has been taken."""
_LAST_STREAM: Final = 2**30
"""A connection has half as many calls, as the numbers of streams are used up then."""
_CONFIG: Final = {
    "client_side": True,
    "header_encoding": None,
    "validate_outbound_headers": False,
    "normalize_outbound_headers": False,
    "validate_inbound_headers": False,
    "normalize_inbound_headers": False,
}


class GrpcConnection(asyncio.Protocol):
    """Calls on one connection, which ends by itself with the last of them when it takes no more."""

    def __init__(self, authority: bytes, scheme: bytes) -> None:
        config = cast("dict[str, Any]", _CONFIG)
        self.http = H2Connection(H2Configuration(**config))
        self.takes_calls = True
        """False from when another connection has to be opened for calls to come."""
        self._head = ((b":method", b"POST"), (b":scheme", scheme), (b":authority", authority))
        self._calls: dict[int, Call] = {}
        self._flushes = False
        self._heard = True
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None
        self._greeted: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def open(cls, endpoint: str, tls: ssl.SSLContext | None) -> Self:
        """Connects to ``HOST:PORT``, and returns when it is etcd that answers. Raises OSError."""
        host, _, port = endpoint.rpartition(":")
        authority = f"[{host}]:{port}" if ":" in host else endpoint
        made = partial(cls, authority.encode(), b"http" if tls is None else b"https")
        _, connection = await asyncio.get_running_loop().create_connection(made, host, int(port), ssl=tls)
        try:
            await connection._greeted
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def is_open(self) -> bool:
        """Whether there may be calls under way."""
        return self._transport is not None

    def call(self, path: bytes, headers: Headers, take: Callable[[bytes], None]) -> Call:
        """Begins a call, whose messages `take` is given. Raises CallFailed where that is not possible any more."""
        try:
            stream = self.http.get_next_available_stream_id()
            self.http.send_headers(stream, [*self._head, (b":path", path), *headers])
        except ProtocolError as error:
            raise CallFailed(UNAVAILABLE, f"no call can be made: {error}") from None
        self.takes_calls = self.takes_calls and stream < _LAST_STREAM
        call = self._calls[stream] = Call(self, stream, take)
        return call

    def give_up(self, call: Call) -> None:
        """Has the other side forget a call."""
        if self._calls.pop(call.stream, None) is not None:
            self.http.reset_stream(call.stream, ErrorCodes.CANCEL)
            self.flush_soon()
            self._end_if_spent()

    def close(self) -> None:
        """Ends the connection; calls that are under way fail."""
        self.takes_calls = False
        if self._timer is not None:
            self._timer.cancel()
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abort()
        if not self._greeted.done():
            self._greeted.set_exception(ConnectionResetError("etcd has hung up"))
            self._greeted.exception()
        self._fail(CallFailed(UNAVAILABLE, "the connection was closed"))

    def flush_soon(self) -> None:
        """Sends what there is to be sent when this turn of the loop is over, all of it at once."""
        if not self._flushes:
            self._flushes = True
            self._loop.call_soon(self._flush)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        self._transport = cast("asyncio.Transport", transport)
        wanted = {SettingCodes.ENABLE_PUSH: 0, SettingCodes.INITIAL_WINDOW_SIZE: _WINDOW}
        self.http.local_settings = Settings(client=True, initial_values=wanted)
        self.http.initiate_connection()
        self.http.increment_flow_control_window(_WINDOW)
        self._timer = self._loop.call_later(_SILENT_SECONDS, self._listen)
        self._flush()

    def connection_lost(self, error: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._transport = None
        self.close()

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        self._heard = True
        try:
            for event in self.http.receive_data(data):
                self._take(event)
        except ProtocolError:
            self._flush()
            self.close()
        else:
            self.flush_soon()

    def _take(self, event: events.Event) -> None:
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
                self._end(stream, CallFailed(UNAVAILABLE, "etcd has given up a call"))
            case events.WindowUpdated() | events.RemoteSettingsChanged():
                self._send_on()
            case events.ConnectionTerminated():
                self.close()

    def _send_on(self) -> None:
        if not self._greeted.done():
            self._greeted.set_result(None)
        for call in list(self._calls.values()):
            call.send_on()

    def _end(self, stream: int | None, error: CallFailed | None) -> None:
        call = self._calls.pop(stream or 0, None)
        if call is not None:
            call.end(error)
            self._end_if_spent()

    def _end_if_spent(self) -> None:
        if not self.takes_calls and not self._calls:
            self.close()

    def _flush(self) -> None:
        self._flushes = False
        if self._transport is not None and (data := self.http.data_to_send()):
            self._transport.write(data)

    def _listen(self) -> None:
        """Whether anything has come lately; a member that is stuck says nothing."""
        if self._heard:
            self._heard = False
            self._timer = self._loop.call_later(_SILENT_SECONDS, self._ping)

    def _ping(self) -> None:
        if self._heard:
            self._listen()
            return
        self.http.ping(b"memkube.")
        self._flush()
        self._timer = self._loop.call_later(_PING_SECONDS, self._pinged)

    def _pinged(self) -> None:
        if self._heard:
            self._listen()
        else:
            self._fail(CallFailed(UNAVAILABLE, "nothing is heard of etcd"))
            self.close()

    def _fail(self, error: CallFailed) -> None:
        calls, self._calls = self._calls, {}
        for call in calls.values():
            call.end(error)
