"""A load generator: keep-alive connections that send prepared requests one after another."""

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

CONNECTIONS: Final = 16

MakeRequest: TypeAlias = Callable[[int], bytes]
"""Returns the bytes of the request with a given number."""

_length: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE).search
_END_OF_CHUNKS: Final = b"\r\n0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a server, and the credentials to use there."""

    host: str
    port: int
    tls: ssl.SSLContext | None = None
    token: str = ""
    """Bearer token of the client; anonymous if empty."""


class RequestFailed(Exception):
    """A server answered with a status outside 2xx; the message begins with the response."""


def request(
    method: str,
    path: str,
    body: bytes = b"",
    content_type: str = "application/json",
    *,
    accept: str = "application/json",
    token: str = "",
) -> bytes:
    """Return the bytes of an HTTP/1.1 request."""
    head = f"{method} {path} HTTP/1.1\r\nHost: benchmark\r\nAccept: {accept}\r\n"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    if body:
        head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def repeated(prepared: bytes) -> MakeRequest:
    """Return the same request for every number."""
    return lambda number: prepared


async def send_many(address: Address, make: MakeRequest, first: int, count: int) -> float:
    """Send `count` requests, numbered from `first`, over `CONNECTIONS` connections; return the seconds taken."""
    loop = asyncio.get_running_loop()
    numbers = iter(range(first, first + count))
    connections = []
    for _ in range(min(CONNECTIONS, count)):
        _, connection = await loop.create_connection(
            lambda: _Connection(make, numbers), address.host, address.port, ssl=address.tls
        )
        connections.append(connection)
    started = time.perf_counter()
    for connection in connections:
        connection.send_next()
    try:
        await asyncio.gather(*(connection.done for connection in connections))
        return time.perf_counter() - started
    finally:
        for connection in connections:
            connection.close()


class _Connection(asyncio.Protocol):
    """A connection that sends the next request as soon as the last one is answered."""

    def __init__(self, make: MakeRequest, numbers: Iterator[int]) -> None:
        self._make = make
        self._numbers = numbers
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self._answer = Answer()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def send_next(self) -> None:
        number = next(self._numbers, None)
        if number is None:
            self.done.set_result(None)
        elif self._transport is not None:
            self._answer = Answer()
            self._transport.write(self._make(number))

    def data_received(self, data: bytes) -> None:
        answer = self._answer
        answer.feed(data)
        if not answer.complete:
            return
        if answer.ok:
            self.send_next()
        elif not self.done.done():
            self.done.set_exception(RequestFailed(answer.start.decode(errors="replace")))

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or RequestFailed("the server closed the connection"))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


class Answer:
    """An HTTP/1.1 response that arrives in pieces; only the head, and body bytes that arrive with it, are kept."""

    __slots__ = ("_missing", "_tail", "complete", "start")

    def __init__(self) -> None:
        self.start = b""
        self.complete = False
        self._missing: int | None = None
        self._tail = b""

    @property
    def ok(self) -> bool:
        """True if the status is 2xx."""
        return self.start.startswith(b"HTTP/1.1 2")

    def feed(self, data: bytes) -> None:
        """Add the next piece of the response."""
        if self._missing is not None:
            self._missing -= len(data)
            self.complete = self._missing <= 0
        elif self._tail:
            self._tail = (self._tail + data)[-len(_END_OF_CHUNKS) :]
            self.complete = self._tail == _END_OF_CHUNKS
        else:
            self.start += data
            self._read_head()

    def _read_head(self) -> None:
        end = self.start.find(b"\r\n\r\n")
        if end < 0:
            return
        found = _length(self.start, 0, end)
        if found:
            self._missing = int(found[1]) - (len(self.start) - end - 4)
            self.complete = self._missing <= 0
        else:
            self._tail = self.start[-len(_END_OF_CHUNKS) :]
            self.complete = self._tail == _END_OF_CHUNKS
