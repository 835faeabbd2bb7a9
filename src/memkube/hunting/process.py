"""The process of an operator, which is killed and restarted as the kubelet would restart its container."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import BinaryIO

from memkube.errors import UsageError
from memkube.hunting.description import Operator
from memkube.hunting.sleeping import sleeps_for_good

_MOST_OUTPUT = 20_000
_BACK_OFF_SECONDS = 0.3


class OperatorProcess:
    """The process of one operator during a run. Its methods may be called from several threads."""

    def __init__(self, operator: Operator, folder: Path, kubeconfig: Path, output: Path) -> None:
        self._operator = operator
        self._folder = folder / operator.directory
        # Without this variable, an operator in Python buffers its output, and loses the end of it when it is killed.
        unbuffered = {"PYTHONUNBUFFERED": "1"}
        self._environment = {**os.environ, **unbuffered, **operator.env, "KUBECONFIG": str(kubeconfig)}
        self._output = output
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._file: BinaryIO | None = None
        self._began_at = 0
        """Size of the log in bytes at the last start."""
        self.started = 0.0
        """Time of the last start, by ``time.monotonic``."""
        self.is_away = False
        """True if the operator was killed by `kill` and has not been started since."""
        self.kills = 0
        """Number of times that `kill` or `restart` killed the operator."""
        self.exits: list[int] = []
        """Exit codes of the operator, one for each time that it exited without being killed by the hunt."""
        self.recent_exits = 0
        """Number of times that the operator has exited by itself since the last call of `forgive`."""
        self._revived_at: float | None = None
        """Time by ``time.monotonic`` at which `revive` starts the operator again; None if it runs or was killed."""

    @property
    def output(self) -> str:
        """The last 20,000 bytes that the operator wrote to its standard output and standard error."""
        return self._output_from(0)

    @property
    def output_since_start(self) -> str:
        """The part of `output` that the operator wrote since its last start."""
        return self._output_from(self._began_at)

    @property
    def is_working(self) -> bool:
        """True if a thread of the operator or its children is runnable, or if the operator waits for its restart.

        On systems without /proc, threads are not examined.
        """
        process = self._process
        return self._revived_at is not None or (process is not None and any(_states(process.pid)))

    @property
    def sleeps_for_good(self) -> bool:
        """True if the operator has no timer, so that only something that it receives can wake it.

        False if this is not known, and if the operator has exited.
        """
        process = self._process
        return process is not None and process.poll() is None and sleeps_for_good(process.pid)

    def start(self) -> None:
        """Start the operator unless it is running. Raises UsageError if its command cannot be started."""
        with self._lock:
            self.is_away = False
            self._start()

    def restart(self) -> None:
        """Kill the operator, and start it again."""
        with self._lock:
            if not self.is_away:
                self._kill()
                self.kills += 1
                self._start()

    def kill(self) -> None:
        """Kill the operator. It stays stopped until `start` is called."""
        with self._lock:
            self._kill()
            self.kills += 1
            self.is_away = True

    def pause(self) -> None:
        """Stop the operator and its children with SIGSTOP until `resume` is called."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue the operator and its children after `pause`."""
        self._signal(signal.SIGCONT)

    def revive(self) -> None:
        """Restart the operator if it has exited by itself, after a back-off delay like a container's."""
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self.exits.append(self._process.returncode)
                self._kill()
                self._revived_at = monotonic() + _BACK_OFF_SECONDS * (2**self.recent_exits - 1)
                self.recent_exits += 1
            if self._revived_at is not None and monotonic() >= self._revived_at:
                self._start()

    def forgive(self) -> None:
        """Reset the delay before restarts, after a disturbance that may have made the operator exit."""
        with self._lock:
            self.recent_exits = 0
            if self._revived_at is not None:
                self._revived_at = monotonic()

    def stop(self) -> None:
        """Kill the operator and close its log, at the end of the run."""
        with self._lock:
            self._kill()
            if self._file is not None:
                self._file.close()
                self._file = None

    def _output_from(self, position: int) -> str:
        """Return the last 20,000 bytes of the log after a position; "" if there is no log."""
        try:
            return self._output.read_bytes()[position:][-_MOST_OUTPUT:].decode(errors="replace")
        except OSError:
            return ""

    def _start(self) -> None:
        if self._process is not None:
            return
        if self._file is None:
            self._file = self._output.open("ab")
        self._began_at = self._output.stat().st_size
        self.started = monotonic()
        self._revived_at = None
        try:
            self._process = subprocess.Popen(  # noqa: S603  the command of the user's file
                self._operator.command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=self._file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"operator: cannot start {self._operator.command[0]}: {error.strerror}") from None

    def _signal(self, number: signal.Signals) -> None:
        with self._lock, contextlib.suppress(ProcessLookupError):
            if self._process is not None:
                os.killpg(self._process.pid, number)

    def _kill(self) -> None:
        process, self._process = self._process, None
        self._revived_at = None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _states(pid: int) -> Iterator[bool]:
    """Yield True or False for each thread of a process and its children: whether the thread is runnable."""
    with contextlib.suppress(OSError, ValueError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            # In /proc/PID/task/TID/stat, the thread's state follows its name, which is in parentheses and may contain
            # any character.
            yield (thread / "stat").read_text().rpartition(")")[2].split()[0] in ("R", "D")
            for child in (thread / "children").read_text().split():
                yield from _states(int(child))
