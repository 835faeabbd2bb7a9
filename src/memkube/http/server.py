"""Start and shutdown of the HTTP server; a shutdown finishes the requests that were accepted.

The order of a shutdown is kube-apiserver's (``genericapiserver.go``). First, ``/readyz`` fails, but the server still
serves requests for a while. Then it accepts no new ones, ends watches, and finishes open requests. Streams end last.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from time import monotonic
from types import FrameType
from typing import Final

import uvicorn

from memkube.endpoints.routers.application import ApiServer
from memkube.http.options import ShutdownOptions
from memkube.http.protocol import HttpProtocol

_LAST_SECONDS: Final = 1.0
"""Maximum number of seconds to send responses that are already written.

This is also the time for the whole shutdown if a program stops the server.
"""
_LONGEST_PAUSE_SECONDS: Final = 0.05
_TICKS_IN_A_SECOND: Final = 10
_CONTROL: Final = "/memkube/"


class HttpServer(uvicorn.Server):
    """A uvicorn server that calls callbacks when it is ready and when it stops. A second signal stops it at once.

    Unlike uvicorn, which checks ten times a second whether it has to stop, it waits for an event that :meth:`end` sets.
    """

    ready: Callable[[], None]
    """Function that is called when the server accepts requests."""
    leaving: Callable[[], Awaitable[None]]
    """Function that is awaited during the shutdown, after new requests are refused and before open ones have ended.

    Open requests may still write to storage.
    """
    stopping: Callable[[], None]
    """Function that is called during the shutdown, after the last request has ended."""
    each_second: Callable[[], None] | None = None
    """Function that is called once a second while the server runs."""
    event_loop: asyncio.AbstractEventLoop | None = None
    thread = 0

    def __init__(self, config: uvicorn.Config, application: ApiServer, options: ShutdownOptions) -> None:
        super().__init__(config)
        self._application = application
        self._options = options
        self._stopped_by_signal = False

    def end(self) -> None:
        """Stop the server without the delay that follows a signal. May be called from any thread."""
        self.should_exit = True
        if self.event_loop is not None:
            # If the server has stopped already, the event loop is closed and raises RuntimeError.
            with contextlib.suppress(RuntimeError):
                self.event_loop.call_soon_threadsafe(self._stop_requested.set)

    def close(self) -> None:
        """Break reference cycles, so that a stopped server is freed without waiting for the garbage collector."""
        del self.ready, self.leaving, self.stopping
        self._application.close()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop the server after a signal; a second signal stops it at once."""
        if self.should_exit:
            self.force_exit = True
        self._stopped_by_signal = True
        super().handle_exit(sig, frame)
        self.end()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals with `handle_exit` during the block, without raising them again afterwards as uvicorn does."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen on `sockets`, or on the configured address if they are None; then call the function `ready`."""
        self._stop_requested = asyncio.Event()
        self.event_loop = asyncio.get_running_loop()
        self.thread = threading.get_ident()
        await super().startup(sockets)
        if self.started:
            self.ready()

    async def main_loop(self) -> None:
        """Update the Date header and call `each_second` once a second, until the server has to stop."""
        counter = 0
        while not await self.on_tick(counter):
            self._application.seats.begin_second()
            if self.each_second is not None:
                self.each_second()
            counter += _TICKS_IN_A_SECOND
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop_requested.wait(), 1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down in kube-apiserver's order: fail ``/readyz``, accept nothing new, end watches, finish requests.

        The module's docstring describes this order.
        """
        application, options = self._application, self._options
        application.checks.shut_down()
        if self._stopped_by_signal:
            await self._until(lambda: False, options.delay_seconds)
        if options.send_retry_after:
            application.refuse_requests()
        else:
            self._stop_listening(sockets)
        await self.leaving()
        application.seats.end_watches()
        await self._until(self._is_drained, options.grace_seconds if self._stopped_by_signal else _LAST_SECONDS)
        self._stop_listening(sockets)
        self.stopping()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self._until(self._is_deserted, _LAST_SECONDS)
        for task in self.server_state.tasks:
            task.cancel()
        if not self.force_exit:
            await self.lifespan.shutdown()

    def _stop_listening(self, sockets: list[socket.socket] | None) -> None:
        for server in self.servers:
            server.close()
        for listening in sockets or []:
            listening.close()
        # Only idle connections close now. Connections with open requests, watches or streams close once these have
        # ended.
        for connection in list(self.server_state.connections):
            if isinstance(connection, HttpProtocol):
                connection.shutdown()

    def _is_drained(self) -> bool:
        """Return True once every request has been answered, except watches and streams."""
        seats = self._application.seats
        lasting = {id(one.scope) for places in (seats.watches, seats.streams) for one in places.holders}
        return not any(
            isinstance(connection, HttpProtocol)
            and connection.cycle is not None
            and not connection.cycle.response_complete
            and id(connection.cycle.scope) not in lasting
            and not connection.cycle.scope["path"].startswith(_CONTROL)
            for connection in self.server_state.connections
        )

    def _is_deserted(self) -> bool:
        return not (self.server_state.connections or self.server_state.tasks)

    async def _until(self, is_so: Callable[[], bool], seconds: float) -> None:
        """Wait until `is_so` returns True, `seconds` have passed, or a second signal stops the server at once."""
        deadline, pause = monotonic() + seconds, 0.0
        while not (self.force_exit or is_so()) and monotonic() < deadline:
            await asyncio.sleep(pause)
            pause = min(2 * pause + 0.001, _LONGEST_PAUSE_SECONDS)
