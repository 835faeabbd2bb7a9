"""Servers in processes of their own."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchmarks.load import Address

MEMKUBE = ("memkube", "serve", "--port", "0", "--controllers", "none", "--kubeconfig", os.devnull)
MEMKUBE_SANDBOX = ("memkube", "serve", "--port", "0", "--kubeconfig", os.devnull)
BARE = ("benchmarks.bare",)

_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A server that accepts connections."""

    pid: int
    address: Address
    announcement: str = ""
    """The line of output that contained the address."""

    def resident_bytes(self) -> int | None:
        """Return the resident memory of the process, or None if the system does not report it."""
        return self._status("VmRSS")

    def peak_bytes(self) -> int | None:
        """Return the peak of the resident memory, or None if the system does not report it."""
        return self._status("VmHWM")

    def worked_seconds(self) -> float:
        """Return the processor time of the process so far, which does not depend on the load of the machine."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def _status(self, field: str) -> int | None:
        status = Path(f"/proc/{self.pid}/status")
        found = re.search(rf"{field}:\s+(\d+) kB", status.read_text()) if status.exists() else None
        return int(found[1]) * 1024 if found else None


@contextmanager
def serving(module: Sequence[str], patience: float = _PATIENCE) -> Iterator[ServerProcess]:
    """Run a Python module as a server during the block, which begins once the server has printed its address.

    The process is killed if it does not stop within `patience` seconds.
    """
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([sys.executable, "-m", *module], stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            yield ServerProcess(process.pid, *_announced(process))
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()


_calls = count()


def free_port() -> int:
    """Return a free loopback port, for a program that cannot choose one itself.

    The operating system gives such a port to no program that asks for any port, and each call returns another one, also
    in another process that was started at about the same time.
    """
    while True:
        port = 20_000 + (100 * os.getpid() + next(_calls)) % 10_000
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _announced(process: subprocess.Popen[str]) -> tuple[Address, str]:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"https?://([^:/]+):(\d+)", line):
            return Address(found[1], int(found[2])), line
    raise SystemExit(f"benchmarks: {process.args!r} ended without an address")
