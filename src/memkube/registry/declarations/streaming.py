"""What a client that connects to an object reaches, whatever carries the bytes: text, a process, ports."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias


class TerminalSize(NamedTuple):
    """What a terminal has room for, in characters."""

    width: int
    height: int


Write: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Sends bytes to the client; returns when it may be given more."""


@dataclass(frozen=True, slots=True)
class ProcessStreams:
    """The client's side of a process: what it asked for, and nothing else, is there."""

    stdin: AsyncIterator[bytes] | None
    """What the client types; ends when it closes its input or goes away."""
    stdout: Write | None
    stderr: Write | None
    """None with a terminal, where both outputs are one."""
    tty: bool
    sizes: AsyncIterator[TerminalSize]
    """The terminal's size at first and whenever it changes, until the client goes away."""


class ByteStream(Protocol):
    """One connection to a port."""

    async def read(self) -> bytes:
        """The next bytes; empty at the end of what the client sends."""

    async def write(self, data: bytes) -> None:
        """Sends bytes to the client."""


class StreamFailed(Exception):
    """What a session or a connection to a port ends with where it cannot go on; the client is shown why."""


Session: TypeAlias = Callable[[ProcessStreams], Awaitable[int]]
"""Runs a process with a client's streams and returns its exit code. Raises StreamFailed where it cannot be run.

Cancelled when the client goes away.
"""
PortForwarding: TypeAlias = Callable[[int, ByteStream], Awaitable[None]]
"""Serves one connection to a port until either side is done.

Raises ConnectionRefusedError where nobody listens, StreamFailed for anything else. Cancelled when the client goes
away.
"""


@dataclass(frozen=True, slots=True)
class TextStream:
    """A body of text, which ends when it is all there or the client goes away; or nothing yet (204)."""

    body: AsyncIterator[bytes] | None
    media_type: str = "text/plain"


@dataclass(frozen=True, slots=True)
class ProcessConnection:
    """A process that takes over the connection once the client has asked for an upgrade."""

    open: Callable[[], Awaitable[Session]]
    """Reaches the process's node, which may refuse by an ApiError."""
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


@dataclass(frozen=True, slots=True)
class PortConnections:
    """Ports to which the client connects, as often as it likes, once it has asked for an upgrade."""

    open: Callable[[], Awaitable[PortForwarding]]
    """Reaches the ports' node, which may refuse by an ApiError."""
    ports: Sequence[int] | None
    """The ports that the query names, where it does: for protocols that open each of them once."""


Connection: TypeAlias = TextStream | ProcessConnection | PortConnections
"""What a client connects to."""
