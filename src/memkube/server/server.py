"""An API server that listens on a socket. It runs in the calling thread or in a new thread."""

import asyncio
import concurrent.futures
import contextlib
import errno
import logging
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from ipaddress import ip_address
from socket import gethostname
from typing import Any, TypeVar
from urllib.parse import urlsplit

import uvicorn

from memkube.control.server_parts import ServerParts
from memkube.endpoints.requests.api_request import flow_of, is_health_check
from memkube.endpoints.routers.application import ApiServer
from memkube.errors import CallTimeout, NotRunning, ServerError
from memkube.http.options import ConnectionLimits
from memkube.http.protocol import HttpProtocol
from memkube.http.request_starts import RequestStarts
from memkube.http.server import HttpServer
from memkube.registry.declarations.interface import LeaderElection
from memkube.registry.registry import Registry
from memkube.server.app import create_app
from memkube.server.garbage_collection import Collections, make_collections_rare
from memkube.server.service_network import ServerAddress
from memkube.server.serving_certificate import ServingCertificates
from memkube.server.settings import Settings
from memkube.time.clock import SteppedClock

T = TypeVar("T")
_BACKLOG = 2048
_LEAVING_SECONDS = 1
_CALL_SECONDS = 30.0
_ADVANCE_SECONDS = 300.0

__all__ = ["Server", "ServerError"]


class Server:
    """An API server on a socket.

    The socket is opened by the constructor, so that `port` and `url` are known before the server runs.

    Raises ServerError if the settings are invalid or the address cannot be used, and KeyError for an unknown admission
    plugin or controller.
    """

    def __init__(self, settings: Settings, host: str = "127.0.0.1", port: int = 0) -> None:
        if not (is_loopback(host) or settings.insecure):
            _check_exposure(host, settings)
        self._socket = _listen(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        try:
            self._certificates = _certificates(settings, host)
            # Two servers with the same seed must store the same objects, so a port that the operating system chose is
            # not stored in the endpoints of the Service `kubernetes`.
            is_stored = port or settings.seed is None
            named = self._certificates.names if self._certificates else ()
            origins = settings.origins.also(*_hosts(host, settings), *named)
            settings = replace(settings, origins=origins, root_certificate=self.authority.decode())
            application = create_app(settings, ServerAddress(host, self.port) if is_stored else None)
        except BaseException as error:
            self._socket.close()
            if isinstance(error, ValueError):
                raise ServerError(str(error)) from None
            raise
        config = _configuration(application, settings.connections, self._certificates)
        self.parts: ServerParts = application.state.parts
        """The parts of the server that the control API uses."""
        self.registry: Registry = self.parts.registry
        """The stores of all resources, for Python code in the server's thread instead of HTTP requests."""
        self._leader: LeaderElection | None = application.state.leader
        self._server = HttpServer(config, application, settings.shutdown)
        self.admin_token = settings.authentication.token
        """The bearer token of the administrator; empty if no credentials are checked."""
        self.checks = application.checks
        """Health checks (``/livez`` and ``/readyz``)."""
        self._server.leaving = self._give_up_leadership
        self._server.stopping = self._stop

    @property
    def url(self) -> str:
        """URL of the server with scheme, host and port, such as ``http://127.0.0.1:8080``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'http' if self._certificates is None else 'https'}://{host}:{self.port}"

    @property
    def authority(self) -> bytes:
        """The certificate in PEM that clients must trust to reach the server over TLS; empty without TLS."""
        return b"" if self._certificates is None else self._certificates.authority

    def run(self, ready: Callable[[], None]) -> bool:
        """Serve until SIGINT or SIGTERM. Call `ready` when the server accepts requests.

        Return False if a second signal stopped the server before all accepted requests were answered.
        """
        self._server.ready = ready
        make_collections_rare()
        self._server.each_second = Collections().look
        self._server.run(sockets=[self._socket])
        return not self._server.force_exit

    def advance(self, seconds: float, timeout: float = _ADVANCE_SECONDS) -> datetime:
        """Advance the server's stepped clock by `seconds`. Return its new time, after all timers due by then have run.

        Must be called from another thread than the server's. Raises ServerError if the server's clock is not a stepped
        one, NotRunning if the server is not running, and CallTimeout after `timeout` seconds of real time.
        """
        clock = self.registry.clock
        if not isinstance(clock, SteppedClock):
            raise ServerError(
                "the clock is not stepped, so it cannot be advanced: create the server with Settings(clock='stepped')"
            )
        self.answer(clock.advance(seconds), timeout)
        return clock.now()

    def call(self, work: Callable[[], T]) -> T:
        """Call `work` in the server's thread, between two requests, and return its result.

        Must be called from another thread. Parts of the server, such as its catalog, may be changed only in the
        server's thread. Raises NotRunning if the server is not running, and CallTimeout after 30 seconds of real time.
        """

        async def working() -> T:
            return work()

        return self.answer(working())

    def answer(self, work: Coroutine[Any, Any, T], timeout: float = _CALL_SECONDS) -> T:
        """Run the coroutine `work` in the server's thread and return its result. Must be called from another thread.

        Raises NotRunning if the server is not running, and CallTimeout after `timeout` seconds of real time.
        """
        return self.result(self.submit(work), timeout)

    def result(self, future: concurrent.futures.Future[T], timeout: float) -> T:
        """Wait for the result of a coroutine passed to :meth:`submit`, which returned `future`, and return the result.

        Raises the same errors as :meth:`answer`.
        """
        try:
            return future.result(timeout)
        except concurrent.futures.CancelledError:
            raise NotRunning(f"the server at {self.url} has stopped") from None
        except concurrent.futures.TimeoutError:
            if future.done():
                raise
            future.cancel()
            raise CallTimeout(f"the server at {self.url} has not answered within {timeout:g} s") from None

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start the coroutine `work` in the server's thread, and return a future for its result.

        Raises NotRunning in the server's thread, or if the server is not running.
        """
        loop = self._server.event_loop
        if loop is None or loop.is_closed() or not self._server.started:
            work.close()
            raise NotRunning(f"the server at {self.url} is not running")
        if threading.get_ident() == self._server.thread:
            work.close()
            raise NotRunning("the server's own thread cannot wait for itself: call from another thread")
        try:
            return asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError:
            work.close()
            raise NotRunning(f"the server at {self.url} is not running") from None

    @contextlib.contextmanager
    def in_thread(self) -> Iterator["Server"]:
        """Run the server in a new thread during the block. Raises ServerError if it cannot start, or has run before."""
        if self._socket.fileno() < 0:
            raise ServerError("a Server can run only once")
        started = threading.Event()
        self._server.ready = started.set

        def serve() -> None:
            try:
                self._server.run(sockets=[self._socket])
            finally:
                started.set()

        thread = threading.Thread(target=serve, name=f"memkube-{self.port}", daemon=True)
        thread.start()
        started.wait()
        if not self._server.started:
            thread.join()
            raise ServerError("the server did not start: see its log for the reason")
        try:
            yield self
        finally:
            self._server.end()
            thread.join()
            self._server.close()

    async def _give_up_leadership(self) -> None:
        """Give up leadership, so that another server can become the leader at once."""
        if self._leader is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leader.stop(), _LEAVING_SECONDS)

    def _stop(self) -> None:
        self.registry.end_requests()


def _hosts(host: str, settings: Settings) -> list[str]:
    """Return the names that clients may use in the Host header, besides those in the server's certificates.

    They are the address that the server listens on, the machine's name, and the host of the URL at which other servers
    with the same storage reach this server.
    """
    advertised = urlsplit(settings.election.url).hostname
    return [host, gethostname(), *([advertised] if advertised else [])]


def is_loopback(host: str) -> bool:
    """Return True if only the machine itself can reach a server that listens on this address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_exposure(host: str, settings: Settings) -> None:
    """Raise ServerError if the server, listening on `host`, would use no TLS or would not authenticate clients."""
    if settings.tls is None or not settings.authentication.is_on:
        raise ServerError(
            f"every machine that can reach {host} could use the server: serve over TLS with --tls and authenticate "
            "clients, listen on 127.0.0.1, or allow all clients with --insecure"
        )


def _certificates(settings: Settings, host: str) -> ServingCertificates | None:
    """Return the certificates of the server; None for plain HTTP.

    Raises ValueError with a one-line message if a file cannot be used, or if the settings ask for client certificates
    but not for TLS.
    """
    authorities = settings.authentication.authority_files
    if settings.tls is not None:
        named = (one for one in settings.origins.allowed_hosts if "*" not in one)
        return ServingCertificates(settings.tls, [host, *named], authorities)
    if authorities:
        raise ValueError("client certificates need TLS: add --tls")
    return None


def _configuration(
    application: ApiServer, limits: ConnectionLimits, certificates: ServingCertificates | None
) -> uvicorn.Config:
    """Return the loaded configuration of uvicorn. With `certificates`, connections use TLS."""
    starts = RequestStarts(flow_of, is_unbounded=is_health_check)
    protocol: Callable[..., asyncio.Protocol] = partial(
        HttpProtocol, limits=limits, starts=starts, is_proxied=application.is_proxied
    )
    if certificates is not None:
        # pyOpenSSL is imported only if the server uses TLS, because importing takes time.
        from memkube.http.tls_transport import TlsAcceptor  # noqa: PLC0415

        protocol = partial(TlsAcceptor, certificates.current, protocol, limits.header_seconds)
    config = uvicorn.Config(
        application,
        loop="uvloop",
        http=protocol,  # type: ignore[arg-type]  # a function that returns a protocol
        ws=_speak_websocket,  # type: ignore[arg-type]  # a function that returns a protocol
        # As in kube-apiserver, no WebSocket pings are sent: a client that does not read at the moment could not answer.
        ws_ping_interval=None,
        lifespan="on",
        access_log=False,
        # The program that starts the server configures logging, not uvicorn.
        log_config=None,
        log_level=logging.WARNING,
        server_header=False,
        proxy_headers=False,
    )
    config.load()
    return config


def _speak_websocket(**connection: Any) -> asyncio.Protocol:
    """Return the protocol object for a new WebSocket. Its module is imported when the first WebSocket is opened."""
    from memkube.http.websocket import WebSocketProtocol  # noqa: PLC0415  imported with the first WebSocket

    return WebSocketProtocol(**connection)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        advice = "; choose another port, or 0 for a free one" if error.errno == errno.EADDRINUSE else ""
        raise ServerError(f"cannot listen on {host}:{port}: {error.strerror}{advice}") from None
    listener.listen(_BACKLOG)
    return listener
