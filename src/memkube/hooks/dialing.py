"""Connections for httpcore whose failures are told in Go's words (``net``, ``crypto/tls``)."""

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
from memkube.hooks.heads import Head

_HANDSHAKE_SECONDS: Final = 10
"""How long the other side may take for TLS (``TLSHandshakeTimeout``)."""
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
    """Connects to what a configuration names: a service by who listens behind it, all else by its address."""

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
        """Raises HookFailed."""
        service = self._config.service
        if service is not None and (host, port) == (service.host, service.port):
            host, port = await self._services.resolve(service.namespace, service.name, port)
        return _Plain(await _connected(host, port), host, port, self._config)


async def _connected(host: str, port: int) -> anyio.abc.SocketStream:
    """Raises HookFailed."""
    if port > _LARGEST_PORT:
        raise HookFailed(f"dial tcp: address {port}: invalid port")
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        raise HookFailed(f"dial tcp: lookup {host}{_name_server()}: no such host") from None
    try:
        return await anyio.connect_tcp(host, port)
    except OSError as error:
        tried = min(found, key=lambda one: one[0] != socket.AF_INET)[4]
        raise HookFailed(f"dial tcp {_shown(*tried[:2])}: connect: {_system_words(error)}") from None


class _Stream(httpcore.AsyncNetworkStream):
    """What httpcore reads and writes; `ends` are the addresses at its ends."""

    def __init__(self, stream: anyio.abc.ByteStream, ends: str) -> None:
        self._stream = stream
        self._ends = ends
        self._head = Head()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Up to `max_bytes`; none at the end. Raises HookFailed."""
        try:
            received = await self._stream.receive(max_bytes)
        except anyio.EndOfStream:
            received = b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, ssl.SSLError) as error:
            raise HookFailed(_broken(self._ends, error)) from None
        if fault := self._head.fault(received):
            raise HookFailed(fault)
        return received

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Raises httpcore.WriteError, after which httpcore looks for an answer that came early."""
        if not buffer:
            return
        self._head = Head()
        try:
            await self._stream.send(buffer)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore.WriteError(error) from error

    async def aclose(self) -> None:
        """Lets the connection go without waiting for the other side."""
        await anyio.aclose_forcefully(self._stream)

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks: whether an idle connection has been closed, and what TLS agreed on."""
        if info == "is_readable":
            raw = self._stream.extra(_ADDRESS.raw_socket, None)  # noqa: S610  no Django
            return raw is None or raw.fileno() < 0 or _is_readable(raw)
        return None


class _Plain(_Stream):
    """A TCP connection."""

    def __init__(self, stream: anyio.abc.SocketStream, host: str, port: int, config: ClientConfig) -> None:
        ends = [stream.extra(name)[:2] for name in (_ADDRESS.local_address, _ADDRESS.remote_address)]  # noqa: S610  no Django
        super().__init__(stream, "->".join(_shown(*end) for end in ends))
        self._config = config
        self._host = host
        self._port = port

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Raises HookFailed."""
        recorded = _Recorded(self._stream)
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
            return _broken(self._ends, error)
        return _alert(error) or "EOF"


class _Recorded(anyio.abc.ByteStream):
    """A stream of which the first bytes are remembered."""

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
    """The server that was asked for a name, as Go tells it, if the system says which."""
    try:
        found = re.search(r"^nameserver\s+(\S+)", _NAME_SERVERS.read_text(), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        return ""
    return f" on {_shown(found[1], 53)}" if found else ""


def _alert(error: BaseException) -> str | None:
    """What the other side says of TLS, or OpenSSL in its place."""
    if not isinstance(error, ssl.SSLError) or isinstance(error, ssl.SSLEOFError) or not error.reason:
        return None
    reason = error.reason.lower()
    return f"remote error: tls: {(reason.partition('_alert_')[2] or reason).replace('_', ' ')}"


def _broken(ends: str, error: BaseException) -> str:
    """Why nothing can be read any more."""
    causes = list(_causes(error))
    alerts = filter(None, map(_alert, causes))
    if alert := next(alerts, None):
        return alert
    known = any(isinstance(cause, OSError) and cause.errno in _ERRNO for cause in causes)
    return f"read tcp {ends}: read: {_system_words(error)}" if known else "EOF"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__ or error.__context__


def _system_words(error: BaseException) -> str:
    """What the system says of a failure, in Go's letters."""
    known = (_ERRNO[cause.errno] for cause in _causes(error) if isinstance(cause, OSError) and cause.errno in _ERRNO)
    return next(known, "connection reset by peer")


def _shown(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _is_readable(raw: Any) -> bool:
    import select  # noqa: PLC0415  nobody but an idle connection asks

    poll = getattr(select, "poll", None)
    if poll is None:
        return bool(select.select([raw.fileno()], [], [], 0)[0])
    poller = poll()
    poller.register(raw.fileno(), select.POLLIN)
    return bool(poller.poll(0))
