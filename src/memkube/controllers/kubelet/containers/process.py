"""The simulated process of a container. It runs a program according to the server's clock.

A program that memkube does not simulate step by step acts as a server, such as nginx: its process runs until a signal
ends it.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import data, instant, instant_or_none
from memkube.controllers.kubelet.containers.behavior import ContainerBehavior
from memkube.controllers.kubelet.containers.environment import expanded_command
from memkube.controllers.kubelet.containers.image_references import base_name
from memkube.controllers.kubelet.containers.log import ContainerLog
from memkube.controllers.kubelet.pod_context import AnyContainer
from memkube.controllers.kubelet.programs.agnhost import AGNHOST
from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.interpreter import resume_program, run_program
from memkube.controllers.kubelet.programs.journal import Journal, JournaledFiles, JournaledNetwork, resumed_at
from memkube.controllers.kubelet.programs.program import Interrupted, Output, Pause, Run, Serve, Session, Step, Traps

KILLED: Final = 137
_INTERRUPTED: Final = 130
PIPE_BYTES: Final = 64 * 1024
"""Size of the input buffer of a process in bytes. Writers wait while the buffer is full."""
_MOST_STEPS: Final = 2000
_LONGEST_MESSAGE: Final = 4096
_SHELL_IMAGES: Final = frozenset(
    {
        "almalinux",
        "alpine",
        "amazonlinux",
        "archlinux",
        "bash",
        "busybox",
        "centos",
        "debian",
        "fedora",
        "leap",
        "netshoot",
        "rockylinux",
        "tumbleweed",
        "ubuntu",
    }
)
"""Names of images whose default program is a shell, without registry, repository and tag."""


Program: TypeAlias = Callable[["Process"], Run]
"""Function that starts the program of a process, or continues it from the last checkpoint of a restored process."""


def is_shell_image(image: str) -> bool:
    """Return True if the default program of an image is known to be a shell, as for busybox and Linux distributions."""
    return base_name(image) in _SHELL_IMAGES


class Exit(NamedTuple):
    """Exit code of a process, and the time at which it ended."""

    code: int
    instant: datetime


class Command(NamedTuple):
    """The command line of a container, which is kept instead of the container's spec to save memory."""

    command: tuple[str, ...]
    args: tuple[str, ...]
    terminal: bool

    @classmethod
    def of(cls, container: AnyContainer) -> "Command":
        """Return the command, the arguments and the terminal setting of a container.

        Without a command, the program of the image runs if it is known: ``agnhost``, or a shell if the container has an
        open standard input and no arguments.
        """
        if not container.command and base_name(container.image) == AGNHOST:
            return cls(("/agnhost",), tuple(container.args) or ("pause",), container.tty)
        if container.stdin and not container.command and not container.args:
            return cls(("sh",) if is_shell_image(container.image) else (), (), container.tty)
        return cls(tuple(container.command), tuple(container.args), container.tty)


class Process:
    """Runs a program from the time `started` on, and writes its output with timestamps to a container's log.

    A step of a program ends when the program writes output, pauses, or reads input. The program only runs when
    :meth:`advance` is called, which executes each step as if it were the time at which the step was due. When a process
    is restored, its program is first run again from its last checkpoint.
    """

    def __init__(self, program: Program, started: datetime, log: ContainerLog, traps: Traps | None = None) -> None:
        self.instant = started
        self.journal = Journal(started)
        self._program = program
        self._traps = traps or Traps()
        self._made: Run | None = None
        self._resumes: datetime | None = started
        self._log = log
        self._input = bytearray()
        self._input_ended = False
        self._reads_at: datetime | None = None
        self.exit: Exit | None = None
        self.stop_seconds = 0.0
        """Seconds that the process takes to end after the signal TERM, if it acts as a server."""
        self.server_state: dict[str, Any] = {}
        """Values that a simulated server keeps in memory, as JSON data."""
        self.unplayed: str | None = None
        """Why the process acts as a server; None while the program is simulated step by step.

        The text names the command that is not simulated. It is empty if the program itself is a server.
        """

    def now(self) -> datetime:
        """Return the time of the program's last step or interrupt. For the program, time stands still between steps."""
        return self.instant

    @property
    def due(self) -> datetime | None:
        """Time at which the program continues; None if it waits for input, acts as a server, or has ended."""
        return None if self.exit else self._resumes

    @property
    def handles_term(self) -> bool:
        """True if the signal TERM ends the process, because memkube simulates it as a server, such as nginx.

        A script, on the other hand, ignores TERM unless it sets a trap: Linux discards the signal for the first process
        of a container if the process has no handler.
        """
        return self.unplayed is not None

    def advance(self, now: datetime) -> None:
        """Run the program until the time `now`.

        After many steps without a pause, the method returns early, so that other tasks can run. The process is then
        still due.
        """
        sent = self._next_line() if self._reads_at is not None else None
        steps = 0
        while self.exit is None and self._resumes is not None and self._resumes <= now:
            if (steps := steps + 1) > _MOST_STEPS:
                return
            run, at = self._run, self._resumes
            self.instant = at
            if sent is not None:
                self.journal.record_input(at, "line", sent)
            self.journal.step()
            try:
                step = run.send(sent)
            except StopIteration as ended:
                self._end(ended.value, at)
                return
            sent = self._take(step, at)

    def _take(self, step: Step, at: datetime) -> bytes | None:
        """Carry out `step`, which the program has yielded: write output, pause, serve until stopped, or read input.

        `at` is the time of the step. If the step reads input and a line is available, returns the line, which must be
        sent to the program. Otherwise returns None.
        """
        match step:
            case Output(data=data, stream=stream):
                self._log.write(at, stream, data)
            case Pause(seconds=seconds):
                self._resumes = None if seconds == math.inf else resumed_at(at, step)
            case Serve(why=why, stop_seconds=seconds):
                self.unplayed, self.stop_seconds, self._resumes = why, seconds, None
                if not why and self.journal.steps == 1:
                    # Free the generator of a program that only acts as a server: it is rarely needed again and can be
                    # recreated.
                    self._made = None
            case _:
                self._reads_at = at
                return self._next_line()
        return None

    @property
    def is_full(self) -> bool:
        """True if the buffer of unread input is full, so that writers must wait."""
        return self.exit is None and len(self._input) >= PIPE_BYTES

    def feed(self, data: bytes, now: datetime) -> None:
        """Add `data` to the standard input of the process, which the program reads line by line."""
        self._input += data
        self._reads_from(now)

    def end_input(self, now: datetime) -> None:
        """Close the standard input of the process. The program can still read the lines that are left."""
        self._input_ended = True
        self._reads_from(now)

    def interrupt(self, now: datetime) -> None:
        """Interrupt the process as Ctrl-C does. A program that does not handle the interrupt ends."""
        self.advance(now)
        if self.exit is not None:
            return
        run = self._run
        self._reads_at, self.instant = None, now
        self.journal.record_input(now, "interrupt")
        self.journal.step()
        try:
            step = run.throw(Interrupted())
        except StopIteration as ended:
            self._end(ended.value, now)
        except Interrupted:
            self._end(_INTERRUPTED, now)
        else:
            self._resumes = now
            self._take(step, now)
            self.advance(now)

    def kill(self, now: datetime, code: int = KILLED) -> None:
        """Kill the process, unless it has already ended. Its exit code is `code`, by default that of SIGKILL."""
        self.advance(now)
        if self.exit is None:
            if self._made is not None:
                self._made.close()
            self._end(code, now)

    def signal(self, name: str, now: datetime) -> None:
        """Send a signal to the process, which ignores it unless the program has set a trap for it."""
        # If the process comes from a snapshot, the property `_run` first replays the program up to the saved step, so
        # that `_traps` contains the traps that the program has set.
        assert self._run is not None
        if name in self._traps.actions:
            self.journal.record_input(now, "signal", name.encode())
            self._traps.deliver(name)

    def saved(self) -> Document:
        """Return the state of the process as JSON data, for a snapshot."""
        return {
            "instant": self.instant,
            "resumes": self._resumes,
            "input": bytes(self._input),
            "inputEnded": self._input_ended,
            "readsAt": self._reads_at,
            "exit": self.exit,
            "unplayed": self.unplayed,
            "stopSeconds": self.stop_seconds,
            "serverState": self.server_state,
            "journal": self.journal.saved() if self.exit is None else None,
        }

    def restore(self, saved: Document) -> None:
        """Restore the state that `saved` returned. Raises ValueError, TypeError or KeyError if it is malformed."""
        self.instant = instant(saved["instant"])
        self._resumes, self._reads_at = instant_or_none(saved["resumes"]), instant_or_none(saved["readsAt"])
        self._input, self._input_ended = bytearray(data(saved["input"])), saved["inputEnded"]
        self.server_state = saved.get("serverState", {})
        self.unplayed, self.stop_seconds = saved["unplayed"], saved.get("stopSeconds", 0.0)
        if saved["exit"] is not None:
            code, at = saved["exit"]
            self.exit = Exit(code, instant(at))
        else:
            self.journal = Journal.restored(saved["journal"])

    @property
    def _run(self) -> Run:
        """Return the running program. The program of a restored process is first run to its saved step."""
        if self._made is None:
            now, self._made = self.instant, self._program(self)
            self.journal.replay(self._made, self._traps, self._set_instant)
            self.instant = now
        return self._made

    def _set_instant(self, at: datetime) -> None:
        self.instant = at

    def _reads_from(self, now: datetime) -> None:
        if self._reads_at is not None:
            self._reads_at = now
            if self._has_line():
                self._resumes = now

    def _has_line(self) -> bool:
        return self._input_ended or self.is_full or b"\n" in self._input

    def _next_line(self) -> bytes | None:
        """Return the next line of input, or None if the program must wait for one."""
        if not self._has_line():
            self._resumes = None
            return None
        self._resumes, self._reads_at = self._reads_at, None
        end = self._input.find(b"\n") + 1 or len(self._input)
        line = bytes(self._input[:end])
        del self._input[:end]
        return line

    def _end(self, code: int, at: datetime) -> None:
        self.exit = Exit(code, at)
        self._resumes = None
        self._log.close()


def program_of(
    command_line: Command, behavior: ContainerBehavior, restarts: int, session: Session, process: Process
) -> Run:
    """Return the running program of `process`, the first process of a container.

    If the `behavior` of the container is configured, it determines the program. Otherwise the program is
    `command_line`, the command in the container's spec. Without both, it is a server that runs until it is stopped.

    `restarts` is the number of times that the container was restarted; a configured exit may depend on it. `session`
    has the variables, files, user and network of the program. What the program reads is recorded, so that a restored
    process can run the program again.
    """
    if behavior.plays:
        return _behaved(behavior, restarts)
    journal = process.journal
    session = replace(
        session,
        files=JournaledFiles(session.files, journal),
        network=None if session.network is None else JournaledNetwork(session.network, journal),
        now=lambda: process.instant,
        on_checkpoint=lambda checkpoint: journal.record_checkpoint(checkpoint, process.instant),
    )
    if journal.checkpoint is not None:
        return resume_program(journal.checkpoint, replace(session, becomes_server=True, terminal=command_line.terminal))
    command = expanded_command((*command_line.command, *command_line.args), session.environment)
    # If the container has only arguments, they are for the program of the image, which is not simulated.
    if not command or (not command_line.command and command[0].startswith("-")):
        return _serves()
    return run_program(command, replace(session, becomes_server=True, terminal=command_line.terminal))


def termination_message(container: AnyContainer, code: int, files: Files, log: ContainerLog) -> str:
    """Return the termination message of a container: the content of the file at its ``terminationMessagePath``.

    If the file is empty and the container has failed, a container with the policy FallbackToLogsOnError has the end of
    its log as its message.
    """
    try:
        message = files.read(container.terminationMessagePath).decode(errors="replace")[:_LONGEST_MESSAGE]
    except OSError:
        message = ""
    if message or code == 0 or container.terminationMessagePolicy != "FallbackToLogsOnError":
        return message
    return log.last_words()


def _behaved(behavior: ContainerBehavior, restarts: int) -> Run:
    ends = behavior.ends_run(restarts)
    left = behavior.exitAfterSeconds if ends else math.inf
    for pause, line in _written(behavior):
        if pause > left:
            break
        if pause:
            yield Pause(pause)
            left -= pause
        yield Output(line)
    if left == math.inf:
        yield Serve()
    yield Pause(left)
    return KILLED if behavior.outOfMemory else behavior.exitCode or 0


def _written(behavior: ContainerBehavior) -> Iterator[tuple[float, bytes]]:
    """Yield each piece of output that a configured behaviour writes, with the seconds to wait before it."""
    if behavior.log is None:
        return
    lines = [f"{line}\n".encode() for line in behavior.log.lines]
    pause = 0.0
    while lines:
        for line in lines:
            yield pause, line
            pause = behavior.log.everySeconds or 0
        if not pause:
            return


def _serves() -> Run:
    yield Serve()
    return 0
