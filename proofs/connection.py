"""An HTTP client that sustains 200,000 requests per minute and distinguishes the ways to lose a connection."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final

import httptools
import orjson
from benchmarks.load import Address

_AT_ONCE: Final = 1 << 18
_PATIENCE: Final = 120.0
"""Seconds after which an unanswered request counts as hanging."""


class ConnectionLost(Exception):
    """The connection ended before the response did; the request may or may not have been carried out."""


class Unreachable(ConnectionLost):
    """The connection could not be opened, so the request was not sent."""


class RequestHangs(Exception):
    """No response arrived, and the connection did not end either."""


@dataclass(slots=True)
class Answer:
    """A response, possibly incomplete."""

    status: int = 0
    body: bytes = b""
    complete: bool = False

    def json(self) -> Any:
        """Return the decoded body. Raises ValueError if the body is not JSON."""
        return orjson.loads(self.body)


class Connection:
    """Sends one request at a time, and reconnects after a connection is lost."""

    def __init__(self, address: Address, agent: str = "proof") -> None:
        """`agent` is the User-Agent, by which rules for faults select requests."""
        self.address = address
        self._agent = agent
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: object = None, content_type: str = "application/json") -> Answer:
        """Return the response, whatever its status.

        Raises ConnectionLost, or RequestHangs if there is no response in time.
        """
        data = b"" if body is None else orjson.dumps(body)
        try:
            async with asyncio.timeout(_PATIENCE):
                async for answer in self._answers(self._head(method, path, data, content_type) + data):
                    if answer.complete:
                        return answer
        except TimeoutError:
            self.close()
            raise RequestHangs(f"{method} {path}") from None
        except asyncio.CancelledError:
            # Otherwise the pending response would be taken for the response to the next request.
            self.close()
            raise
        raise ConnectionLost

    async def lines(self, path: str) -> AsyncGenerator[tuple[int, bytes], None]:
        """Yield the lines of a watch, each with the response's status, until the watch ends. Raises ConnectionLost."""
        rest = b""
        async for answer in self._answers(self._head("GET", path)):
            *lines, rest = (rest + answer.body).split(b"\n")
            answer.body = b""
            for line in lines:
                yield answer.status, line
            if answer.complete:
                if rest:
                    yield answer.status, rest
                return

    def _head(self, method: str, path: str, data: bytes = b"", content_type: str = "") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\nHost: proof\r\nUser-Agent: {self._agent}\r\nAccept: application/json\r\n"
        if data:
            head += f"Content-Type: {content_type}\r\nContent-Length: {len(data)}\r\n"
        return f"{head}\r\n".encode()

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        if self._writer is not None:
            self._writer.transport.abort()
        self._reader = self._writer = None

    async def _answers(self, data: bytes) -> AsyncGenerator[Answer, None]:
        """Yield the same response each time that more of it has arrived."""
        try:
            reader, writer = await self._connected()
            writer.write(data)
            receiver = _Receiver()
            while not receiver.answer.complete:
                received = await reader.read(_AT_ONCE)
                if not received:
                    raise ConnectionLost
                receiver.feed(received)
                yield receiver.answer
            if not receiver.keeps_alive:
                self.close()
        except OSError as error:
            self.close()
            raise ConnectionLost from error
        except ConnectionLost:
            self.close()
            raise

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._reader is None or self._writer is None:
            try:
                self._reader, self._writer = await asyncio.open_connection(self.address.host, self.address.port)
            except OSError as error:
                raise Unreachable from error
        return self._reader, self._writer


class _Receiver:
    """Collects a response; httptools calls its `on_` methods."""

    def __init__(self) -> None:
        self.answer = Answer()
        self.keeps_alive = True
        self._parser = httptools.HttpResponseParser(self)

    def feed(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_headers_complete(self) -> None:
        self.answer.status = self._parser.get_status_code()
        self.keeps_alive = self._parser.should_keep_alive()

    def on_body(self, body: bytes) -> None:
        self.answer.body += body

    def on_message_complete(self) -> None:
        self.answer.complete = True
