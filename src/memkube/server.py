"""A server on a socket: in this thread until it is told to stop, or beside the program in one of its own."""

import asyncio
import contextlib
import gc
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import uvicorn

from memkube.app import create_app
from memkube.bootstrap.service_network import ServerAddress
from memkube.http_protocol import HttpProtocol
from memkube.registry.clock import SteppedClock
from memkube.registry.registry import Registry
from memkube.settings import Settings

T = TypeVar("T")
_BACKLOG = 2048
_SHUTDOWN_SECONDS = 1
_STARTED_POLL_SECONDS = 0.5
_COLLECTION_THRESHOLDS = (50_000, 20, 100)


class ServerError(Exception):
    """The server cannot start; the message says why in one line."""


class Server:
    """An API server with its socket open already, so that `port` and `url` are known. Raises ServerError."""

    def __init__(self, settings: Settings, host: str = "127.0.0.1", port: int = 0) -> None:
        self._socket = _listen(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        application = create_app(settings, ServerAddress(host, self.port))
        config = uvicorn.Config(
            application,
            loop="uvloop",
            http=partial(HttpProtocol, limits=settings.connections),  # type: ignore[arg-type]  # is called like it
            ws=_speak_websocket,  # type: ignore[arg-type]  # is called like a protocol
            # As in the reference: clients that do nothing but wait answer no pings.
            ws_ping_interval=None,
            lifespan="on",
            access_log=False,
            log_level=logging.WARNING,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            server_header=False,
            proxy_headers=False,
        )
        self.registry: Registry = application.state.registry
        """What a program in this process calls instead of HTTP, from the server's own thread."""
        self._server = _Uvicorn(config)
        self.checks = application.checks
        """What the server says of how it is."""
        self._server.stopping = self._stop

    @property
    def url(self) -> str:
        """The address for clients."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def run(self, ready: Callable[[], None]) -> None:
        """Serves until SIGINT or SIGTERM; calls `ready` once requests are answered."""
        self._server.ready = ready
        _spare_the_collector()
        self._server.run(sockets=[self._socket])

    def advance(self, seconds: float) -> datetime:
        """Moves a stepped clock on; returns what it shows when all that fell due has happened, in its order.

        For other threads than the server's. Raises ServerError for a clock that runs by itself.
        """
        clock = self.registry.clock
        if not isinstance(clock, SteppedClock):
            raise ServerError("the clock runs by itself: Settings(clock='stepped') has one that can be moved")
        asyncio.run_coroutine_threadsafe(clock.advance(seconds), self._server.event_loop).result()
        return clock.now()

    def call(self, work: Callable[[], T]) -> T:
        """What `work` returns, done in the server's own thread between two requests; for other threads.

        What in the server is to be changed while it runs, such as its catalog, belongs to that thread.
        """

        async def working() -> T:
            return work()

        return asyncio.run_coroutine_threadsafe(working(), self._server.event_loop).result()

    @contextlib.contextmanager
    def in_thread(self) -> Iterator["Server"]:
        """Serves for as long as the block runs."""
        started = threading.Event()
        self._server.ready = started.set
        thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        thread.start()
        while not started.wait(_STARTED_POLL_SECONDS):
            if not thread.is_alive():
                raise ServerError("the server did not start; its log says why")
        try:
            yield self
        finally:
            self._server.should_exit = True
            thread.join()

    def _stop(self) -> None:
        self.checks.shut_down()
        self.registry.close()


class _Uvicorn(uvicorn.Server):
    """Says when it is ready and when it stops, so that watches end before it waits for them."""

    ready: Callable[[], None]
    stopping: Callable[[], None]
    event_loop: asyncio.AbstractEventLoop

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """To be told to stop is no failure: the signal is not raised again."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Calls `ready` after start-up."""
        self.event_loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self.started:
            self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Calls `stopping` before the connections are waited for."""
        self.stopping()
        await super().shutdown(sockets)


def _speak_websocket(**connection: Any) -> asyncio.Protocol:
    """The protocol of an upgraded connection; imported for the first, as many servers never see one."""
    from memkube.websocket_protocol import WebSocketProtocol  # noqa: PLC0415  see above

    return WebSocketProtocol(**connection)


def _spare_the_collector() -> None:
    """Objects that are kept are no garbage: looking through all of them again and again would stall requests."""
    gc.freeze()
    gc.set_threshold(*_COLLECTION_THRESHOLDS)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ServerError(f"cannot listen on {host}:{port}: {error.strerror}") from None
    listener.listen(_BACKLOG)
    return listener
