"""Network backend for httpcore with the error messages of Go's ``net`` and ``crypto/tls``."""

import asyncio
import errno
import re
import socket
import ssl
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import anyio
import httpcore
from anyio.streams.tls import TLSStream

from memkube.hooks.certificates import served_certificate, why_not_trusted
from memkube.hooks.configuration import ClientConfig, HookFailed, ServiceResolver
from memkube.hooks.response_heads import ResponseHead

_HANDSHAKE_SECONDS: Final = 10
"""Timeout of the TLS handshake in seconds (Go's ``TLSHandshakeTimeout``)."""
_ADDRESS: Final = anyio.abc.SocketAttribute
_LARGEST_PORT: Final = 65535
_NAME_SERVERS: Final = Path("/etc/resolv.conf")
_ERRNO: Final = {
    errno.ECONNREFUSED: "connection refused",
    errno.ENETUNREACH: "network is unreachable",
    errno.EHOSTUNREACH: "no route to host",
    errno.ECONNRESET: "connection reset by peer",
    errno.EADDRNOTAVAIL: "cannot assign requested address",
    errno.EINVAL: "invalid argument",
    errno.ETIMEDOUT: "connection timed out",
}


class Dialer(httpcore.AsyncNetworkBackend):
    """Opens connections for one client configuration. Resolves Service references to network addresses."""

    def __init__(self, config: ClientConfig, services: ServiceResolver) -> None:
        self._config = config
        self._services = services

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        service = self._config.service
        if service is not None and (host, port) == (service.host, service.port):
            host, port = await self._services.resolve(service.namespace, service.name, port)
        return _TcpStream(await _connect(host, port), host, port, self._config)


async def _connect(host: str, port: int) -> anyio.abc.SocketStream:
    """Open a TCP connection. Raises HookFailed with Go's message if the connection fails."""
    if port > _LARGEST_PORT:
        raise HookFailed(f"dial tcp: address {port}: invalid port")
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        raise HookFailed(f"dial tcp: lookup {host}{_name_server()}: no such host") from None
    try:
        return await anyio.connect_tcp(host, port)
    except OSError as error:
        tried = min(found, key=lambda address: address[0] != socket.AF_INET)[4]
        raise HookFailed(f"dial tcp {_host_port(*tried[:2])}: connect: {_go_system_error(error)}") from None


class _Stream(httpcore.AsyncNetworkStream):
    """A network stream for httpcore. `ends` are the local and the remote address, for error messages."""

    def __init__(self, stream: anyio.abc.ByteStream, ends: str) -> None:
        self._stream = stream
        self._ends = ends
        self._head = ResponseHead()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            received = await self._stream.receive(max_bytes)
        except anyio.EndOfStream:
            received = b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, ssl.SSLError) as error:
            raise HookFailed(_read_error(self._ends, error)) from None
        if fault := self._head.fault(received):
            raise HookFailed(fault)
        return received

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send data to the server.

        Raises httpcore.WriteError if that fails; httpcore then still reads a response that the server sent early.
        """
        if not buffer:
            return
        self._head = ResponseHead()
        try:
            await self._stream.send(buffer)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore.WriteError(error) from error

    async def aclose(self) -> None:
        """Close the connection without waiting for the peer."""
        await anyio.aclose_forcefully(self._stream)

    def get_extra_info(self, info: str) -> Any:
        """Return the property `info` of the connection for httpcore; None for all properties except ``is_readable``.

        For ``is_readable``, return True if the server has closed the idle connection.
        """
        if info == "is_readable":
            raw = self._stream.extra(_ADDRESS.raw_socket, None)  # noqa: S610  anyio, not Django
            return raw is None or raw.fileno() < 0 or _is_readable(raw)
        return None


class _TcpStream(_Stream):
    """A network stream without TLS."""

    def __init__(self, stream: anyio.abc.SocketStream, host: str, port: int, config: ClientConfig) -> None:
        ends = [stream.extra(name)[:2] for name in (_ADDRESS.local_address, _ADDRESS.remote_address)]  # noqa: S610  anyio, not Django
        super().__init__(stream, "->".join(_host_port(*end) for end in ends))
        self._config = config
        self._host = host
        self._port = port

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Start TLS on the connection. Raises HookFailed if the handshake fails."""
        recorded = _RecordingStream(self._stream)
        try:
            async with asyncio.timeout(_HANDSHAKE_SECONDS):
                secured = await TLSStream.wrap(
                    recorded, hostname=server_hostname, ssl_context=ssl_context, standard_compatible=False
                )
        except BaseException as error:
            await self.aclose()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise HookFailed(await self._why(error, recorded.head, server_hostname or self._host)) from None
        return _Stream(secured, self._ends)

    async def _why(self, error: BaseException, head: bytes, hostname: str) -> str:
        if isinstance(error, TimeoutError):
            return "net/http: TLS handshake timeout"
        if isinstance(error, ssl.SSLCertVerificationError):
            shown = await served_certificate(self._host, self._port, hostname)
            return why_not_trusted(shown, hostname, self._config, error)
        if head.startswith(b"HTTP/"):
            return "http: server gave HTTP response to HTTPS client"
        if head and head[0] not in range(20, 24):
            return "tls: first record does not look like a TLS handshake"
        if isinstance(error, anyio.BrokenResourceError | ConnectionError):
            return _read_error(self._ends, error)
        return _tls_error(error) or "EOF"


class _RecordingStream(anyio.abc.ByteStream):
    """A network stream that records the first received bytes, which Go quotes in error messages."""

    def __init__(self, stream: anyio.abc.ByteStream) -> None:
        self._stream = stream
        self.head = b""

    async def receive(self, max_bytes: int = 65536) -> bytes:
        data = await self._stream.receive(max_bytes)
        if len(self.head) < 5:
            self.head += data[:5]
        return data

    async def send(self, item: bytes) -> None:
        await self._stream.send(item)

    async def send_eof(self) -> None:
        await self._stream.send_eof()

    async def aclose(self) -> None:
        await self._stream.aclose()

    @property
    def extra_attributes(self) -> Any:
        return self._stream.extra_attributes


def _name_server() -> str:
    """Return the name server for Go's error message, as `` on host:53``; "" if it is unknown."""
    try:
        found = re.search(r"^nameserver\s+(\S+)", _NAME_SERVERS.read_text(), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        return ""
    return f" on {_host_port(found[1], 53)}" if found else ""


def _tls_error(error: BaseException) -> str | None:
    """Return Go's message for a TLS alert or OpenSSL error; None for other errors."""
    if not isinstance(error, ssl.SSLError) or isinstance(error, ssl.SSLEOFError) or not error.reason:
        return None
    reason = error.reason.lower()
    return f"remote error: tls: {(reason.partition('_alert_')[2] or reason).replace('_', ' ')}"


def _read_error(ends: str, error: BaseException) -> str:
    """Return Go's message for an error while reading from a connection; `ends` are its two addresses."""
    causes = list(_causes(error))
    alerts = filter(None, map(_tls_error, causes))
    if alert := next(alerts, None):
        return alert
    known = any(isinstance(cause, OSError) and cause.errno in _ERRNO for cause in causes)
    return f"read tcp {ends}: read: {_go_system_error(error)}" if known else "EOF"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__ or error.__context__


def _go_system_error(error: BaseException) -> str:
    """Return Go's message for an error of the operating system."""
    known = (_ERRNO[cause.errno] for cause in _causes(error) if isinstance(cause, OSError) and cause.errno in _ERRNO)
    return next(known, "connection reset by peer")


def _host_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _is_readable(raw: Any) -> bool:
    import select  # noqa: PLC0415  imported on first use, for idle connections

    poll = getattr(select, "poll", None)
    if poll is None:
        return bool(select.select([raw.fileno()], [], [], 0)[0])
    poller = poll()
    poller.register(raw.fileno(), select.POLLIN)
    return bool(poller.poll(0))
