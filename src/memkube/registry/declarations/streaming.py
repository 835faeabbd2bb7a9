"""The streams of a client that connects to an object, independent of the protocol: text, a process, or ports."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias


class TerminalSize(NamedTuple):
    """The size of a terminal in characters."""

    width: int
    height: int


Write: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Sends bytes to the client. Returns when the client can take more."""


@dataclass(frozen=True, slots=True)
class ProcessStreams:
    """The client's streams of a process. A stream that the client did not ask for is None."""

    stdin: AsyncIterator[bytes] | None
    """Input of the process; ends when the client closes it or disconnects."""
    stdout: Write | None
    stderr: Write | None
    """Error output; None with a terminal, which has one output."""
    tty: bool
    sizes: AsyncIterator[TerminalSize]
    """Sizes of the terminal: the first one and every change, until the client disconnects."""


class ByteStream(Protocol):
    """One connection to a port."""

    async def read(self) -> bytes:
        """Return the next bytes; empty at the end of the client's data."""

    async def write(self, data: bytes) -> None:
        """Send bytes to the client."""


class StreamFailed(Exception):
    """A session or a connection to a port cannot continue. The client is sent the message."""


Session: TypeAlias = Callable[[ProcessStreams], Awaitable[int]]
"""Runs a process with a client's streams and returns its exit code.

Cancelled when the client disconnects. Raises StreamFailed if the process cannot be run.
"""
PortForwarding: TypeAlias = Callable[[int, ByteStream], Awaitable[None]]
"""Serves one connection to a port until either side closes it.

Cancelled when the client disconnects. Raises ConnectionRefusedError if nothing listens on the port, and StreamFailed
for any other failure.
"""


@dataclass(frozen=True, slots=True)
class TextStream:
    """A text that ends when it is complete or the client disconnects. Without a body, the answer is 204."""

    body: AsyncIterator[bytes] | None
    media_type: str = "text/plain"


@dataclass(frozen=True, slots=True)
class ProcessConnection:
    """A process that takes over the connection after the client's upgrade."""

    open: Callable[[], Awaitable[Session]]
    """Connects to the node of the process. Raises ApiError if the node refuses."""
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


@dataclass(frozen=True, slots=True)
class PortConnections:
    """Ports to which the client opens any number of connections after its upgrade."""

    open: Callable[[], Awaitable[PortForwarding]]
    """Connects to the node of the ports. Raises ApiError if the node refuses."""
    ports: Sequence[int] | None
    """The ports in the query, for protocols that open each port once; None for other protocols."""


Connection: TypeAlias = TextStream | ProcessConnection | PortConnections
"""The thing to which a client connects."""
