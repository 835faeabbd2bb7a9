"""Runs a program in the environment of one client library. A test sends it messages.

Each line of its input and output is a JSON document.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

CLIENTS: Final = Path(__file__).parents[2] / ".clients"
"""Folder into which `make clients` installs the client libraries."""
_LOGGED: Final = 20_000
_PATIENCE: Final = 120


class Worker:
    """A running program."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process = process
        self._log = log
        self._seen = 0

    def send(self, message: Any) -> None:
        """Send a message to the program."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def receive(self) -> Any:
        """Return the next message of the program. A program that sends nothing for too long is killed."""
        assert self._process.stdout is not None
        patience = threading.Timer(_PATIENCE, self._process.kill)
        patience.start()
        line = self._process.stdout.readline()
        patience.cancel()
        assert line, f"the program ended:\n{self._log.read_text()[-_LOGGED:]}"
        return json.loads(line)

    def logged(self) -> str:
        """Return what the program has logged since the last call."""
        text = self._log.read_text()
        begins, self._seen = self._seen, len(text)
        return text[begins:]


@contextmanager
def worker(client: str, program: Path, folder: Path, environment: Mapping[str, str]) -> Iterator[Worker]:
    """Run a program with a client library until the block ends. Print the program's log."""
    command = [CLIENTS / client / "bin/python", program]
    log = folder / "log"
    kept = {"PATH": os.environ["PATH"], "HOME": os.fspath(folder), **environment}
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, env=kept, cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        try:
            yield Worker(process, log)
        finally:
            process.terminate()
            sys.stdout.write(log.read_text()[-_LOGGED:])
