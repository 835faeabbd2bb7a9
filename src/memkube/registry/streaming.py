"""What a program reads and writes while a client is connected to it, whatever carries the bytes."""

from collections.abc import AsyncIterator, Awaitable, Callable
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
