"""Running the command ``memkube`` as a process."""

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
SOON: Final = 60.0
"""Timeout in seconds for events that happen at once on an idle machine."""


@dataclass
class Serving:
    """A process of ``memkube serve`` that answers requests."""

    process: subprocess.Popen[str]
    url: str
    kubeconfig: Path
    printed: list[str]


@contextlib.contextmanager
def serving(environment: dict[str, str], *options: str) -> Iterator[Serving]:
    """Run ``memkube serve`` on a free port until the block ends."""
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
    """Run ``memkube`` to its end, and return its output and exit status."""
    command = [*MEMKUBE, *words]
    return subprocess.run(command, env=environment, text=True, capture_output=True, timeout=5 * SOON, check=False)


def on_a_terminal(environment: dict[str, str], *words: str) -> str:
    """Return the output of ``memkube`` on a terminal."""
    leader, follower = pty.openpty()
    with subprocess.Popen([*MEMKUBE, *words], env={**environment, "TERM": "xterm"}, stdout=follower, stderr=follower):
        os.close(follower)
        pieces = []
        # On Linux, reading raises OSError once the process has closed the terminal.
        with contextlib.suppress(OSError):
            while piece := os.read(leader, 65536):
                pieces.append(piece)
    os.close(leader)
    return b"".join(pieces).decode()
