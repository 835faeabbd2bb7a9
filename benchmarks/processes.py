"""Servers as processes of their own."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.load import Address

MEMKUBE = ("memkube", "serve", "--port", "0", "--controllers", "none", "--kubeconfig", os.devnull)
MEMKUBE_SANDBOX = ("memkube", "serve", "--port", "0", "--kubeconfig", os.devnull)
BARE = ("benchmarks.bare",)

_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A server that listens."""

    pid: int
    address: Address
    announcement: str = ""
    """The line that told the address."""

    def resident_bytes(self) -> int | None:
        """The memory that the process holds, where the system tells."""
        return self._status("VmRSS")

    def peak_bytes(self) -> int | None:
        """The most that it ever held."""
        return self._status("VmHWM")

    def worked_seconds(self) -> float:
        """The processor time that the process has had: unlike the wall's, the same whatever else the machine does."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def _status(self, field: str) -> int | None:
        status = Path(f"/proc/{self.pid}/status")
        found = re.search(rf"{field}:\s+(\d+) kB", status.read_text()) if status.exists() else None
        return int(found[1]) * 1024 if found else None


@contextmanager
def serving(module: Sequence[str], patience: float = _PATIENCE) -> Iterator[ServerProcess]:
    """Runs a Python module with its arguments from the moment it prints its address until the block is left.

    It is killed where it does not stop within `patience` seconds.
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


def free_port() -> int:
    """One of loopback for a program that has to be told; nobody uses it, and somebody may until it is taken."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _announced(process: subprocess.Popen[str]) -> tuple[Address, str]:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://([^:/]+):(\d+)", line):
            return Address(found[1], int(found[2])), line
    raise SystemExit(f"benchmarks: {process.args!r} ended without an address")
