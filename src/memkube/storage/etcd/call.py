"""One gRPC call, which is a stream of an HTTP/2 connection (``PROTOCOL-HTTP2.md`` of gRPC)."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from struct import Struct
from typing import Final, Protocol
from urllib.parse import unquote_to_bytes

from h2.connection import H2Connection
from h2.exceptions import StreamClosedError

OK: Final = 0
UNAVAILABLE: Final = 14
_UNKNOWN: Final = 2
_PREFIX: Final = Struct(">?I")


class CallFailed(Exception):
    """Raised if a gRPC call failed or got no response."""

    def __init__(self, code: int, details: str) -> None:
        super().__init__(details)
        self.code = code
        """The gRPC status code."""


class Connection(Protocol):
    """The methods of an HTTP/2 connection that a gRPC call needs."""

    http: H2Connection

    def flush_soon(self) -> None:
        """Send the pending data of all calls at the end of this iteration of the event loop."""

    def cancel_call(self, call: "GrpcCall") -> None:
        """Reset the HTTP/2 stream of the call."""


class GrpcCall:
    """One gRPC call to etcd.

    Each received message is passed to the function `take`, until the call ends.
    """

    __slots__ = ("_buffer", "_connection", "_ended", "_on_message", "_unsent", "code", "details", "is_closed", "stream")

    def __init__(self, connection: Connection, stream: int, take: Callable[[bytes], None]) -> None:
        self._connection = connection
        self._on_message = take
        self._buffer = bytearray()
        self._unsent: deque[tuple[bytes | memoryview, bool]] = deque()
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.stream = stream
        self.is_closed = False
        """True if the client will send no more messages."""
        self.code, self.details = _UNKNOWN, "etcd ended a call without a status"

    @property
    def ended(self) -> "asyncio.Future[None]":
        """Future that is done when the call has ended and all its messages have been received.

        The future raises CallFailed, or an exception that the caller's function for received messages has raised.
        """
        return self._ended

    def send(self, message: bytes, *, last: bool = False) -> None:
        """Send a message as soon as flow control allows. `last` is True for the client's last message."""
        if not self._ended.done():
            self._unsent.append((_PREFIX.pack(False, len(message)) + message, last))
            self.continue_sending()

    def continue_sending(self) -> None:
        """Send as much of the unsent data as flow control allows."""
        # If etcd has reset the stream, sending raises StreamClosedError. The next HTTP/2 event then ends the call.
        with suppress(StreamClosedError):
            self._continue_sending()
        self._connection.flush_soon()

    def _continue_sending(self) -> None:
        http, stream, rest = self._connection.http, self.stream, self._unsent
        while rest and not self.is_closed:
            data, last = rest[0]
            most = min(http.local_flow_control_window(stream), http.max_outbound_frame_size)
            if most <= 0:
                break
            if len(data) > most:
                whole = memoryview(data)
                http.send_data(stream, bytes(whole[:most]))
                rest[0] = whole[most:], last
                continue
            rest.popleft()
            http.send_data(stream, bytes(data), end_stream=last)
            self.is_closed = last

    def receive(self, data: bytes) -> None:
        """Take data from the connection, and pass each complete message to the function `take` of the constructor."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _PREFIX.size:
            _, length = _PREFIX.unpack_from(buffer)
            end = _PREFIX.size + length
            if len(buffer) < end:
                return
            message = bytes(buffer[_PREFIX.size : end])
            del buffer[:end]
            if self._ended.done():
                return
            try:
                self._on_message(message)
            except Exception as error:
                self.end(error)

    def note(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Record the gRPC status if `headers`, the headers or trailers of the response, contain it."""
        for name, value in headers:
            if name == b"grpc-status":
                self.code, self.details = int(value), self.details if int(value) == _UNKNOWN else ""
            elif name == b"grpc-message":
                self.details = unquote_to_bytes(value).decode(errors="replace")
            elif name == b":status" and value != b"200":
                self.code, self.details = UNAVAILABLE, f"etcd answers with status {value.decode()}"

    def end(self, error: Exception | None = None) -> None:
        """End the call: with `error`, or with the gRPC status that was received."""
        self.is_closed = True
        if self._ended.done():
            return
        if error is None and self.code != OK:
            error = CallFailed(self.code, self.details)
        if error is None:
            self._ended.set_result(None)
        else:
            self._ended.set_exception(error)
            # Read the exception: if the caller has been cancelled, asyncio would otherwise warn about it.
            self._ended.exception()

    def cancel(self) -> None:
        """End the call without waiting for its response, and tell etcd that the call is cancelled."""
        self._connection.cancel_call(self)
        self.end(CallFailed(UNAVAILABLE, "the call was cancelled"))
