"""Streams between a client and a container or port, independent of the network protocol."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias


class TerminalSize(NamedTuple):
    """The size of a terminal in characters."""

    width: int
    height: int


Write: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Function that sends bytes to the client, and returns when the client can receive more."""


class ProcessStreams(NamedTuple):
    """The streams between a client and a process. A stream that the client did not request is None."""

    stdin: AsyncIterator[bytes] | None
    """Standard input of the process. The iterator ends when the client closes the stream or disconnects."""
    stdout: Write | None
    stderr: Write | None
    """Standard error; None with a terminal, which combines both outputs."""
    tty: bool
    sizes: AsyncIterator[TerminalSize]
    """Sizes of the terminal: the initial size and every change, until the client disconnects."""


class ByteStream(Protocol):
    """One forwarded connection to a port."""

    async def read(self) -> bytes:
        """Return the next bytes; empty when the client has closed the stream."""

    async def write(self, data: bytes) -> None:
        """Send bytes to the client."""


class StreamFailed(Exception):
    """Raised if a session or port connection failed after it was opened. The client gets the message."""


Session: TypeAlias = Callable[[ProcessStreams], Awaitable[int]]
"""Function that runs a process with the client's streams, and returns its exit code.

Cancelled when the client disconnects. Raises StreamFailed if the process cannot be run.
"""
PortForwarding: TypeAlias = Callable[[int, ByteStream], Awaitable[None]]
"""Function that forwards one connection to a port until either side closes it.

Cancelled when the client disconnects. Raises ConnectionRefusedError if no process listens on the port, and StreamFailed
for any other failure.
"""


class TextStream(NamedTuple):
    """A text streamed until it is complete or the client disconnects. If `body` is None, the status is 204."""

    body: AsyncIterator[bytes] | None
    media_type: str = "text/plain"


class ProcessConnection(NamedTuple):
    """A process whose streams are sent over an upgraded connection (``exec``, ``attach``)."""

    open: Callable[[], Awaitable[Session]]
    """Function that starts the session on the node. Raises ApiError if the node rejects it."""
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


class PortConnections(NamedTuple):
    """Ports of a pod that the client can connect to, any number of times, over an upgraded connection."""

    open: Callable[[], Awaitable[PortForwarding]]
    """Function that opens port forwarding on the node. Raises ApiError if the node rejects it."""
    ports: Sequence[int] | None
    """The ports in the query, for protocols that connect to each port once; None for other protocols."""


class HttpAnswer(NamedTuple):
    """The answer of an HTTP server."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def all_headers(self) -> tuple[tuple[str, str], ...]:
        """The headers, with a Content-Type for plain text if none is set."""
        if any(name.lower() == "content-type" for name, _ in self.headers):
            return self.headers
        return ("Content-Type", "text/plain; charset=utf-8"), *self.headers


class ProxiedServer(NamedTuple):
    """An HTTP server to which the client's request is passed on (``proxy``)."""

    answer: Callable[[str], Awaitable[HttpAnswer]]
    """Function that answers a request for a path and query. Raises ApiError if the server cannot be reached."""


Connection: TypeAlias = TextStream | ProcessConnection | PortConnections | ProxiedServer
"""The result of a connect subresource: a text, a process, ports or an HTTP server."""
