"""Servers in processes of their own, one storage engine each."""

import asyncio
import os
import random
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from benchmarks.load import Address
from benchmarks.processes import ServerProcess, serving
from tests.etcd_server import ETCD, EtcdServer

ENGINES: Final = ("memory", "sqlite", "sqlite-relaxed", *(("etcd",) if ETCD else ()))
OUTLIVING: Final = ENGINES[1:]
"""Engines whose objects survive the end of the server's process."""
FILES: Final = ("sqlite", "sqlite-relaxed")
"""Engines that keep objects in a file of one process."""


@contextmanager
def storage(engine: str) -> Iterator[tuple[str, ...]]:
    """Yield the server options for an engine on new and empty storage, removed afterwards.

    Raises ValueError if unknown.
    """
    with tempfile.TemporaryDirectory(prefix="memkube-proof-") as folder:
        path = Path(folder) / "objects.db"
        match engine:
            case "memory":
                yield ()
            case "sqlite":
                yield ("--storage", f"sqlite:{path}")
            case "sqlite-relaxed":
                yield ("--storage", f"sqlite:{path}", "--durability", "relaxed")
            case "etcd":
                etcd = EtcdServer(Path(folder) / "etcd")
                try:
                    yield ("--storage", f"etcd:{etcd.url}")
                finally:
                    etcd.kill()
            case _:
                raise ValueError(f"no engine is called {engine}: {', '.join(ENGINES)}")


class Server:
    """A server that can be killed and restarted at the same address."""

    def __init__(self, options: Sequence[str] = (), *, controllers: str = "none") -> None:
        self._options = ("--controllers", controllers, "--kubeconfig", os.devnull, *options)
        self._stack = ExitStack()
        self.address = Address("", 0)
        self.pid = 0
        self.kills = 0
        self._running: ServerProcess | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def start(self) -> None:
        """Start the server; return once it accepts connections."""
        running = self._stack.enter_context(
            serving(("memkube", "serve", "--port", str(self.address.port), *self._options))
        )
        self.address, self.pid, self._running = running.address, running.pid, running

    def resident_bytes(self) -> int:
        """Return the resident memory; 0 if the system does not report it."""
        return (self._running.resident_bytes() or 0) if self._running else 0

    def stop(self) -> None:
        """Stop the server with SIGINT."""
        self._stack.close()

    def kill(self) -> None:
        """Stop the server with SIGKILL, at any point of its work."""
        os.kill(self.pid, signal.SIGKILL)
        self._stack.close()
        self.kills += 1

    async def kill_again_and_again(self, chance: random.Random, done: Callable[[], int]) -> None:
        """Kill and restart the server, each time after a random number of operations, until cancelled.

        `done` returns the number of operations so far.
        """
        while True:
            enough = done() + chance.randrange(20, 300)
            while done() < enough:  # noqa: ASYNC110  clients do not signal progress
                await asyncio.sleep(0.005)
            self.kill()
            await asyncio.shield(asyncio.to_thread(self.start))
