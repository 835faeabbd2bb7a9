"""Sessions of exec and attach, for both protocols: the process, its input, and terminal sizes.

A session ends when the process exits, after its exit status was sent to the client, or when the client disconnects.
"""

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Protocol, TypeVar

from memkube.apimachinery.meta.v1.status import Status, StatusCause, StatusDetails
from memkube.apimachinery.model import Document
from memkube.registry.declarations.streaming import (
    ByteStream,
    PortForwarding,
    ProcessStreams,
    Session,
    StreamFailed,
    TerminalSize,
)

T = TypeVar("T")
_LOGGER = logging.getLogger("memkube")
_LARGEST_INBOX = 1024 * 1024
_LARGEST_SIDE = 2**16 - 1
_LONGEST_SIZE = 4096
_LAST_SECONDS = 1.0
"""Seconds that a process may run on to read the client's last input, after the client has disconnected."""
_LAST_WAITS = 20
"""Number of waits into which these seconds are divided."""


class ClientLeft(Exception):
    """Raised if the client has disconnected."""


class ProcessCarrier(Protocol):
    """Interface of a protocol that transports the streams of a process: SPDY streams or WebSocket channels."""

    async def start(self) -> ProcessStreams:
        """Wait until the client has opened its streams, and return them.

        Raises ClientLeft if the client disconnects before that.
        """

    async def serve(self) -> None:
        """Receive the client's data until the client disconnects."""

    async def report(self, status: Document) -> None:
        """Send the exit status of the process, and end all streams."""


async def serve_process(session: Session, carrier: ProcessCarrier) -> None:
    """Run the process `session`, whose streams `carrier` transports, and send its exit status to the client."""
    try:
        status = await while_connected(carrier.serve(), _outcome(session, carrier), _LAST_SECONDS)
        await carrier.report(status)
    except (ClientLeft, OSError):
        return


async def while_connected(
    serving: Coroutine[Any, Any, None], work: Coroutine[Any, Any, T], last_seconds: float = 0
) -> T:
    """Run the coroutine `work` until it is done or the client disconnects, and return its result.

    The coroutine `serving` receives the client's messages, and ends when the client disconnects. After that, `work` may
    run for up to `last_seconds` more, to read the input that has been received. It is then cancelled, and ClientLeft is
    raised.
    """
    tasks = asyncio.ensure_future(serving), asyncio.ensure_future(work)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[1].done():
            # While the server is busy, a single wait could end before `work` has run. So wait several times.
            for _ in range(_LAST_WAITS):
                if not tasks[1].done():
                    await asyncio.wait(tasks[1:], timeout=last_seconds / _LAST_WAITS)
            raise ClientLeft
        return tasks[1].result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _outcome(session: Session, carrier: ProcessCarrier) -> Document:
    """Run the process `session` on the streams of `carrier`. Return the Status with the exit code or the failure."""
    streams = await carrier.start()
    try:
        code = await session(streams)
    except StreamFailed as error:
        return _internal_error(str(error))
    except OSError:
        raise ClientLeft from None
    except Exception as error:
        _LOGGER.exception("a session failed")
        return _internal_error(f"{type(error).__name__}: {error}")
    return _exited(code) if code else Status(status="Success").to_document()


def _exited(code: int) -> Document:
    """Return the Status for the exit code of a process (``k8s.io/apiserver/pkg/util/proxy``: codeExitToStatusError)."""
    message = f"command terminated with non-zero exit code: command terminated with exit code {code}"
    details = StatusDetails(causes=[StatusCause(reason="ExitCode", message=str(code))])
    return Status(status="Failure", reason="NonZeroExitCode", message=message, details=details).to_document()


def _internal_error(why: str) -> Document:
    message = f"Internal error occurred: {why}"
    return Status(status="Failure", reason="InternalError", message=message, code=500).to_document()


async def forward_failure(forward: PortForwarding, port: int, stream: ByteStream) -> str:
    """Forward the client's connection `stream` to a port until it ends, by calling `forward`.

    Returns the error message for the client, or "" if the connection ends without an error. Raises OSError if the
    client disconnects.
    """
    try:
        await forward(port, stream)
    except StreamFailed as error:
        return str(error)
    except OSError:
        raise
    except Exception as error:
        _LOGGER.exception("a connection to port %d failed", port)
        return f"error forwarding port {port}: {type(error).__name__}: {error}"
    return ""


class Inbox:
    """A bounded queue of the bytes that a client sends on one stream."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._changed = asyncio.Condition()

    async def put(self, data: bytes) -> None:
        """Add bytes, and wait while the inbox is full. Bytes that arrive after a call of `end` are dropped."""
        if not data:
            return
        async with self._changed:
            await self._changed.wait_for(lambda: self._ended or self._size < _LARGEST_INBOX)
            if not self._ended:
                self._pieces.append(data)
                self._size += len(data)
                self._changed.notify_all()

    async def end(self) -> None:
        """Mark the end of the stream: no more bytes will follow."""
        async with self._changed:
            self._ended = True
            self._changed.notify_all()

    async def read(self) -> bytes:
        """Return the next bytes; empty at the end of the stream."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._ended or self._pieces)
            if not self._pieces:
                return b""
            piece = self._pieces.popleft()
            self._size -= len(piece)
            self._changed.notify_all()
            return piece

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the bytes, piece by piece, until the end of the stream."""
        while piece := await self.read():
            yield piece


async def terminal_sizes(pieces: AsyncIterator[bytes]) -> AsyncIterator[TerminalSize]:
    """Yield the terminal sizes in the bytes that a client sends: JSON objects with ``Width`` and ``Height``.

    Stops at the first malformed object.
    """
    decoder = json.JSONDecoder()
    text = ""
    async for piece in pieces:
        text = (text + piece.decode("latin-1")).lstrip()
        while text:
            try:
                document, end = decoder.raw_decode(text)
            except ValueError:
                break
            size = _terminal_size(document)
            if size is None:
                return
            yield size
            text = text[end:].lstrip()
        if len(text) > _LONGEST_SIZE:
            return


def _terminal_size(document: Any) -> TerminalSize | None:
    """Return the terminal size in a JSON object; None if the object is malformed.

    The case of field names is ignored, as by Kubernetes' decoder.
    """
    if not isinstance(document, dict):
        return None
    fields = {name.lower(): value for name, value in document.items()}
    width, height = fields.get("width", 0), fields.get("height", 0)
    if any(type(side) is not int or not 0 <= side <= _LARGEST_SIDE for side in (width, height)):
        return None
    return TerminalSize(width, height)
