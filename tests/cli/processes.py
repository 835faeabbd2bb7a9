"""The program as a process."""

import contextlib
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MEMKUBE: Final = (sys.executable, "-m", "memkube")
SOON: Final = 30.0
"""Longer than a busy machine takes for what happens at once."""


@dataclass
class Serving:
    """A server that answers."""

    process: subprocess.Popen[str]
    url: str
    kubeconfig: Path
    printed: list[str]


@contextlib.contextmanager
def serving(environment: dict[str, str], *options: str) -> Iterator[Serving]:
    """Runs `memkube serve` on a free port."""
    command = [*MEMKUBE, "serve", "--port", "0", *options]
    process = subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout is not None
        printed = [process.stdout.readline().rstrip("\n") for _ in range(3)]
        path = Path(printed[1].removeprefix("kubeconfig: "))
        yield Serving(process, printed[0].split()[-1], path, printed)
    finally:
        process.kill()
        process.communicate()


def run_memkube(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """What `memkube` prints and how it ends."""
    command = [*MEMKUBE, *words]
    return subprocess.run(command, env=environment, text=True, capture_output=True, timeout=SOON, check=False)


def on_a_terminal(environment: dict[str, str], *words: str) -> str:
    """What `memkube` writes to a terminal."""
    leader, follower = pty.openpty()
    with subprocess.Popen([*MEMKUBE, *words], env={**environment, "TERM": "xterm"}, stdout=follower, stderr=follower):
        os.close(follower)
        pieces = []
        # Linux says so when nobody is left on the other side.
        with contextlib.suppress(OSError):
            while piece := os.read(leader, 65536):
                pieces.append(piece)
    os.close(leader)
    return b"".join(pieces).decode()
