"""A server in a thread of its own, from its start to its stop."""

import contextlib
import gc
import tempfile
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.cluster.operations import Operations
from memkube.cluster.options import Options
from memkube.cluster.waiting import Condition, Waiting
from memkube.endpoints.responses.responses import status_of
from memkube.errors import MemkubeError, NotRunning, Refused
from memkube.server.kubeconfig import kubeconfig_text, write_kubeconfig
from memkube.server.server import Server
from memkube.snapshots.snapshot import Snapshot
from memkube.time.clock import SteppedClock

if TYPE_CHECKING:
    from memkube.cluster.controls import Controls

T = TypeVar("T")
MANAGER: Final = "memkube-python"
"""Who owns the fields that are applied."""
CALL_SECONDS: Final = 30.0
"""How long a call waits for the server's thread."""


class Running:
    """Starts and stops, each start with a server of its own, and hands calls over to its thread.

    Raises ValueError for a choice that there is not, and ServerError.
    """

    def __init__(self, options: Options, host: str, port: int) -> None:
        self._settings = options.settings()
        self._options = options
        self._address = host, port
        self._server: Server | None = None
        self._ending = contextlib.ExitStack()
        self._kubeconfig: Path | None = None
        self._operations: Operations | None = None
        self._controls: Controls | None = None

    def start(self) -> None:
        """Returns when requests are answered. Raises ServerError, and NotRunning where it runs already."""
        if self._server is not None:
            raise MemkubeError(f"it is running already, at {self._server.url}")
        with contextlib.ExitStack() as ending, _uncollected():
            server = ending.enter_context(Server(self._settings, *self._address).in_thread())
            self._ending = ending.pop_all()
        self._server = server

    def fork(self, snapshot: Snapshot) -> "Running":
        """A second one with the same choices, at a port of its own, that begins with a snapshot."""
        return Running(replace(self._options, snapshot=snapshot), self._address[0], 0)

    def stop(self) -> None:
        """Returns when nothing of the server is left."""
        self._server = self._kubeconfig = self._operations = self._controls = None
        self._ending.close()

    @property
    def server(self) -> Server:
        """Raises NotRunning."""
        if self._server is None:
            raise NotRunning("the server is not running: it runs inside of the with block")
        return self._server

    @property
    def operations(self) -> Operations:
        """What is asked of objects. Raises NotRunning."""
        if self._operations is None:
            self._operations = Operations(self.server.registry, MANAGER)
        return self._operations

    @property
    def controls(self) -> "Controls":
        """What the control API does; imported when it is first asked for, with FastAPI. Raises NotRunning."""
        if self._controls is None:
            from memkube.cluster.controls import Controls  # noqa: PLC0415  see above

            self._controls = Controls(self.server.registry)
        return self._controls

    @property
    def kubeconfig(self) -> Path:
        """A file that lives as long as the server."""
        url = self.server.url
        if self._kubeconfig is None:
            folder = self._ending.enter_context(tempfile.TemporaryDirectory(prefix="memkube-"))
            self._kubeconfig = Path(folder) / "kubeconfig"
            write_kubeconfig(self._kubeconfig, url)
        return self._kubeconfig

    @property
    def kubeconfig_text(self) -> str:
        """What stands in that file."""
        return kubeconfig_text(self.server.url)

    def now(self) -> datetime:
        """What the server's clock shows. Raises NotRunning."""
        return self.server.registry.clock.now()

    def answer(self, work: Coroutine[Any, Any, T], timeout: float = CALL_SECONDS) -> T:
        """What `work` returns, run in the server's thread. Raises Refused, NotRunning and CallTimeout."""
        return self.result(self.submit(work), timeout)

    async def awaited(self, work: Coroutine[Any, Any, T], timeout: float = CALL_SECONDS) -> T:
        """What `answer` returns, for a program in an event loop, which goes on meanwhile. Raises as it does."""
        from anyio import to_thread  # noqa: PLC0415  for programs that have it anyway

        future = self.submit(work)
        try:
            return await to_thread.run_sync(partial(self.result, future, timeout), abandon_on_cancel=True)
        finally:
            # Whoever is cancelled waits no more, and neither does the server.
            future.cancel()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Runs `work` in the server's thread. Raises NotRunning."""
        if self._server is None:
            work.close()
        return self.server.submit(work)

    def result(self, future: Future[T], timeout: float) -> T:
        """What submitted work returns. Raises as `answer` does."""
        try:
            return self.server.result(future, timeout)
        except ApiError as error:
            raise Refused(status_of(error)) from None

    def waiting(self, what: str, condition: Condition, seconds: float) -> Waiting:
        """A wait, whose failure tells where time stands still. Raises ValueError."""
        hint = ""
        if isinstance(self.server.registry.clock, SteppedClock):
            hint = f"; the clock stands still at {self.now():%H:%M:%S} until clock.advance() moves it"
        return Waiting(what, condition, seconds, hint)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """What a start makes is kept: to look for garbage in it takes a third of the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Reachable:
    """Where clients find the server."""

    _running: Running

    @property
    def url(self) -> str:
        """The address for clients."""
        return self._running.server.url

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig, which is gone with the server."""
        return self._running.kubeconfig

    @property
    def kubeconfig_content(self) -> str:
        """What stands in it, as YAML."""
        return self._running.kubeconfig_text
