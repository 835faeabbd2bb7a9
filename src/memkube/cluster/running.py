"""A server that runs in its own thread."""

import contextlib
import gc
import tempfile
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.cluster.controls import Controls
from memkube.cluster.operations import Operations
from memkube.cluster.options import Options
from memkube.cluster.waiting import Condition, Waiting
from memkube.endpoints.responses.responses import status_of
from memkube.errors import NotRunning, Refused, ServerError, UsageError
from memkube.server.kubeconfig import kubeconfig_text, write_kubeconfig
from memkube.server.server import Server
from memkube.snapshots.snapshot import Snapshot
from memkube.time.clock import SteppedClock

T = TypeVar("T")
MANAGER: Final = "memkube-python"
"""Field manager of objects that `apply` writes, and user agent of the requests that programs send."""
CALL_SECONDS: Final = 30.0
"""Maximum number of seconds that a call waits for its result from the server's thread."""


class Running:
    """Starts and stops a server, and runs coroutines in its thread. Each start makes a new server.

    Raises UsageError for an invalid option.
    """

    def __init__(self, options: Options, host: str, port: int) -> None:
        self._settings = options.settings()
        self._options: Options | None = options
        self._address = host, port
        self._server: Server | None = None
        self._cleanup = contextlib.ExitStack()
        self._kubeconfigs: dict[str, Path] = {}
        """Paths of kubeconfig files by the tokens of their users."""
        self._folder: Path | None = None
        self._operations: Operations | None = None

    @classmethod
    def around(cls, server: Server) -> "Running":
        """Return a Running for a server that other code starts and stops.

        Its method `fork` raises UsageError, because the options of the server are not known.
        """
        running = cls(Options.of(), server.host, server.port)
        running._options, running._server = None, server
        return running

    def start(self) -> None:
        """Start the server; returns once it answers requests.

        Raises ServerError if the server cannot start or is already running.
        """
        if self._server is not None:
            raise ServerError(f"the server is already running at {self._server.url}")
        with contextlib.ExitStack() as cleanup, _uncollected():
            server = cleanup.enter_context(Server(self._settings, *self._address).in_thread())
            self._cleanup = cleanup.pop_all()
        self._server = server

    def fork(self, snapshot: Snapshot) -> "Running":
        """Return a second server with the same options, a port of its own, and a snapshot as its initial state.

        The second server keeps its objects in memory. Raises UsageError if the options of this server are not known,
        because other code has started it.
        """
        if self._options is None:
            raise UsageError("this server cannot be forked: its options are not known")
        # The snapshot determines the start time and the pools of nodes. Two servers cannot share a SQLite file.
        options = replace(self._options, snapshot=snapshot, start=None, node_pools=(), storage="memory")
        return Running(options, self._address[0], 0)

    def stop(self) -> None:
        """Stop the server; returns once its thread has ended and its socket is closed."""
        self._server = self._folder = self._operations = None
        self._kubeconfigs.clear()
        self._cleanup.close()

    @property
    def server(self) -> Server:
        """The running server. Raises NotRunning if the server has not been started or has stopped."""
        if self._server is None:
            raise NotRunning("the server is not running: it runs only inside its with block")
        return self._server

    @property
    def operations(self) -> Operations:
        """Object that reads and writes the server's objects. Raises NotRunning if there is no server."""
        if self._operations is None:
            self._operations = Operations(self.server.registry, MANAGER)
        return self._operations

    @property
    def controls(self) -> Controls:
        """The operations of the control API. Raises NotRunning if there is no server."""
        return Controls(self.server.parts)

    @property
    def kubeconfig(self) -> Path:
        """Path of a kubeconfig file for the administrator. The file is deleted when the server stops."""
        return self.user_kubeconfig(self.server.admin_token)

    @property
    def kubeconfig_text(self) -> str:
        """The content of the administrator's kubeconfig file, as YAML."""
        return self.user_kubeconfig_text(self.server.admin_token)

    def user_kubeconfig(self, token: str) -> Path:
        """Return the path of a kubeconfig file for the user of `token`. The file is deleted when the server stops."""
        server = self.server
        if token not in self._kubeconfigs:
            if self._folder is None:
                self._folder = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="memkube-")))
            number = len(self._kubeconfigs)
            path = self._folder / (f"kubeconfig-{number}" if number else "kubeconfig")
            write_kubeconfig(path, server.url, token, server.authority)
            self._kubeconfigs[token] = path
        return self._kubeconfigs[token]

    def user_kubeconfig_text(self, token: str) -> str:
        """Return the content of a kubeconfig file for the user of a token, as YAML."""
        return kubeconfig_text(self.server.url, token=token, authority=self.server.authority)

    def now(self) -> datetime:
        """Return the time of the server's clock. Raises NotRunning if there is no server."""
        return self.server.registry.clock.now()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine in the server's thread; return its Future. Raises NotRunning if there is no server."""
        if self._server is None:
            work.close()
        return self.server.submit(work)

    def result(self, future: Future[T], timeout: float) -> T:
        """Wait for the result of a coroutine, whose `future` is from `submit`, and return it.

        Raises Refused if the coroutine raised an ApiError, NotRunning if the server has stopped, and CallTimeout if
        there is no result after `timeout` seconds.
        """
        try:
            return self.server.result(future, timeout)
        except ApiError as error:
            raise Refused(status_of(error)) from None

    def waiting(self, what: str, condition: Condition, seconds: float) -> Waiting:
        """Return a Waiting for an object to meet `condition`, which times out after `seconds` of real time.

        The message of the timeout names the object as `what`. If the clock is stepped, it adds that only
        `clock.advance()` moves the clock. Raises UsageError for an unknown condition.
        """
        hint = ""
        if isinstance(self.server.registry.clock, SteppedClock):
            hint = f"; the stepped clock stays at {self.now():%H:%M:%S} until clock.advance() moves it"
        return Waiting(what, condition, seconds, hint)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Disable garbage collection in the block, which starts a server.

    A collection would take a third of the time of the start, and free nothing.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Reachable:
    """The server's URL and the kubeconfig for its clients."""

    _running: Running

    @property
    def url(self) -> str:
        """The server's address, such as ``http://127.0.0.1:40001``."""
        return self._running.server.url

    @property
    def kubeconfig(self) -> Path:
        """Path of a kubeconfig file for the server's administrator. The file is deleted when the server stops."""
        return self._running.kubeconfig

    @property
    def kubeconfig_content(self) -> str:
        """Content of the file `kubeconfig`, as YAML."""
        return self._running.kubeconfig_text
