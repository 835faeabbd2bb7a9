"""Streams between a client and a container or port, independent of the network protocol."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from memkube.apimachinery.errors import ApiError


class TerminalSize(NamedTuple):
    """The size of a terminal in characters."""

    width: int
    height: int


Write: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Function that sends bytes to the client. It returns when the client can receive more bytes."""


class ProcessStreams(NamedTuple):
    """The streams between a client and a process. A stream that the client did not request is None."""

    stdin: AsyncIterator[bytes] | None
    """Standard input of the process. The iterator ends when the client closes the stream or disconnects."""
    stdout: Write | None
    stderr: Write | None
    """Standard error of the process; None with a terminal, which combines standard output and standard error."""
    tty: bool
    sizes: AsyncIterator[TerminalSize]
    """Sizes of the client's terminal: first the initial size, then every change, until the client disconnects."""


class ByteStream(Protocol):
    """A forwarded connection between the client and a port of a pod."""

    async def read(self) -> bytes:
        """Return the next bytes from the client; empty if the client has closed the stream."""

    async def write(self, data: bytes) -> None:
        """Send bytes to the client."""


class StreamFailed(Exception):
    """Raised if an open session or port connection fails. The client gets the message."""


class NodeUnreachable(ApiError):
    """Raised if the API server cannot connect to the kubelet of a pod's node. The client gets it as a Status.

    Any other ApiError of a node is the answer of its kubelet, which the client gets as text.
    """

    def __init__(self, host: str, why: str) -> None:
        """`host` is the address of the kubelet with its port, and `why` an error such as ``i/o timeout``."""
        self.host = host
        self.dialing = f"dial tcp {host}: {why}"
        super().__init__(500, "", f"error dialing backend: {self.dialing}")


Session: TypeAlias = Callable[[ProcessStreams], Awaitable[int]]
"""Function that runs a process with the client's streams, and returns the exit code of the process.

It is cancelled if the client disconnects. It raises StreamFailed if the process cannot be run.
"""
PortForwarding: TypeAlias = Callable[[int, ByteStream], Awaitable[None]]
"""Function that forwards one connection to a port, until the client or the process closes the connection.

It is cancelled if the client disconnects. It raises ConnectionRefusedError if no process listens on the port, and
StreamFailed for any other failure.
"""


class TextStream(NamedTuple):
    """A text that is streamed to the client until the text or the connection ends.

    If `body` is None, the response has the status 204.
    """

    body: AsyncIterator[bytes] | None
    media_type: str = "text/plain"


class ProcessConnection(NamedTuple):
    """A process whose streams are sent over an upgraded connection (``exec``, ``attach``)."""

    open: Callable[[], Awaitable[Session]]
    """Function that starts the process on the node. Raises ApiError if the node refuses it."""
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


class PortConnections(NamedTuple):
    """Ports of a pod that the client can connect to, any number of times, over an upgraded connection."""

    open: Callable[[], Awaitable[PortForwarding]]
    """Function that opens port forwarding on the node. Raises ApiError if the node refuses it."""
    ports: Sequence[int] | None
    """Ports in the query of the request, for protocols that open one connection to each of them.

    None for protocols that name the port when they open a connection.
    """


class HttpRequest(NamedTuple):
    """A request to an HTTP server in a pod. Headers of requests are not simulated."""

    target: str
    """Path of the request, with an optional query."""
    method: str = "GET"
    client: str = ""
    """IP address from which the server gets the request; empty if it is not known."""
    uses_tls: bool = False
    """True for a request by HTTPS."""
    body: bytes = b""


class HttpAnswer(NamedTuple):
    """The response of an HTTP server in a pod."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def all_headers(self) -> tuple[tuple[str, str], ...]:
        """The response headers, with the Content-Type text/plain added if the server in the pod sent none."""
        if any(name.lower() == "content-type" for name, _ in self.headers):
            return self.headers
        return ("Content-Type", "text/plain; charset=utf-8"), *self.headers


class ProxiedServer(NamedTuple):
    """An HTTP server in the cluster to which the subresource ``proxy`` forwards the client's request."""

    answer: Callable[[HttpRequest], Awaitable[HttpAnswer]]
    """Function that sends a request to the server. Raises ApiError if the server cannot be reached."""


Connection: TypeAlias = TextStream | ProcessConnection | PortConnections | ProxiedServer
"""Target of a subresource such as ``exec`` or ``proxy``: a text, a process, ports of a pod or an HTTP server."""
