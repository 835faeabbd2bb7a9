"""One call by gRPC, on a connection that it shares with others (``PROTOCOL-HTTP2.md`` of gRPC)."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from struct import Struct
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from h2.exceptions import StreamClosedError

if TYPE_CHECKING:
    from memkube.storage.etcd.connection import GrpcConnection

OK: Final = 0
UNAVAILABLE: Final = 14
_UNKNOWN: Final = 2
_PREFIX: Final = Struct(">?I")


class CallFailed(Exception):
    """A call has not been answered, or been refused."""

    def __init__(self, code: int, details: str) -> None:
        super().__init__(details)
        self.code = code
        """One of gRPC's status codes."""


class Call:
    """One call, of which messages come until it has ended."""

    __slots__ = ("_buffer", "_connection", "_ended", "_rest", "_take", "code", "details", "is_closed", "stream")

    def __init__(self, connection: "GrpcConnection", stream: int, take: Callable[[bytes], None]) -> None:
        self._connection = connection
        self._take = take
        self._buffer = bytearray()
        self._rest: deque[tuple[bytes | memoryview, bool]] = deque()
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.stream = stream
        self.is_closed = False
        """Whether nothing more is sent."""
        self.code, self.details = _UNKNOWN, "etcd has ended a call without a status"

    @property
    def ended(self) -> "asyncio.Future[None]":
        """Is done when the last message has come. Raises CallFailed, and what taking a message raised."""
        return self._ended

    def send(self, message: bytes, *, last: bool = False) -> None:
        """Sends a message, as soon as the other side takes it."""
        if not self._ended.done():
            self._rest.append((_PREFIX.pack(False, len(message)) + message, last))
            self.send_on()

    def send_on(self) -> None:
        """Sends as much of what is left as the other side takes."""
        # Where it has given up the call, that is told in the next event.
        with suppress(StreamClosedError):
            self._send_on()
        self._connection.flush_soon()

    def _send_on(self) -> None:
        http, stream, rest = self._connection.http, self.stream, self._rest
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
        """Takes each message whose last byte has come."""
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
                self._take(message)
            except Exception as error:
                self.end(error)

    def note(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Reads how the call went, where headers or trailers tell."""
        for name, value in headers:
            if name == b"grpc-status":
                self.code, self.details = int(value), self.details if int(value) == _UNKNOWN else ""
            elif name == b"grpc-message":
                self.details = unquote_to_bytes(value).decode(errors="replace")
            elif name == b":status" and value != b"200":
                self.code, self.details = UNAVAILABLE, f"etcd answers with status {value.decode()}"

    def end(self, error: Exception | None = None) -> None:
        """Nothing more comes."""
        self.is_closed = True
        if self._ended.done():
            return
        if error is None and self.code != OK:
            error = CallFailed(self.code, self.details)
        if error is None:
            self._ended.set_result(None)
        else:
            self._ended.set_exception(error)
            # Whoever waited may have gone.
            self._ended.exception()

    def cancel(self) -> None:
        """Has the other side give it up."""
        self._connection.give_up(self)
        self.end(CallFailed(UNAVAILABLE, "the call was given up"))
