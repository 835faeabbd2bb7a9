"""A container's program, played on the clock."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from memkube.controllers.kubelet.behavior import ContainerBehavior
from memkube.controllers.kubelet.environment import expanded_command
from memkube.controllers.kubelet.log import ContainerLog
from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.interpreter import play
from memkube.controllers.kubelet.programs.program import Interrupted, Output, Pause, Run, Serve, Session, Step
from memkube.controllers.kubelet.surroundings import AnyContainer

KILLED: Final = 137
_INTERRUPTED: Final = 130
_LONGEST = timedelta(days=365 * 100)
PIPE_BYTES: Final = 64 * 1024
"""How much a process is sent ahead of what it has read."""
_MOST_STEPS: Final = 2000
_LONGEST_MESSAGE: Final = 4096


Program: TypeAlias = Callable[[Callable[[], datetime]], Run]
"""Makes a run that asks for the time of its own present step."""


class Exit(NamedTuple):
    """How and when a process ended."""

    code: int
    instant: datetime


class Process:
    """Runs a program from `started` on, and writes its output to a log with the times at which it came.

    The program is behind the clock until :meth:`advance` is called; what it did in between then happens at the
    instants at which it would have.
    """

    def __init__(self, program: Program, started: datetime, log: ContainerLog) -> None:
        self.instant = started
        self._run = program(lambda: self.instant)
        self._resumes: datetime | None = started
        self._log = log
        self._input = bytearray()
        self._input_ended = False
        self._reads_at: datetime | None = None
        self.exit: Exit | None = None
        self.unplayed: str | None = None
        """What kept the program from being played on, so that it has become a server."""

    @property
    def due(self) -> datetime | None:
        """When it goes on; None if that is never, or depends on input."""
        return None if self.exit else self._resumes

    @property
    def handles_term(self) -> bool:
        """Whether it ends when it is told to: servers do; for other first processes of a container TERM is nothing."""
        return self.unplayed is not None

    def advance(self, now: datetime) -> None:
        """Lets it do what it does until `now`; after very many steps at once it is left behind, still due."""
        sent = self._next_line() if self._reads_at is not None else None
        steps = 0
        while self.exit is None and self._resumes is not None and self._resumes <= now:
            if (steps := steps + 1) > _MOST_STEPS:
                return
            at = self.instant = self._resumes
            try:
                step = self._run.send(sent)
            except StopIteration as ended:
                self._end(ended.value, at)
                return
            sent = self._take(step, at)

    def _take(self, step: Step, at: datetime) -> bytes | None:
        """Does a step; what comes of it is sent to the program."""
        match step:
            case Output(data=data, stream=stream):
                self._log.write(at, stream, data)
            case Pause(seconds=seconds):
                self._pause(at, seconds)
            case Serve(why=why):
                self.unplayed = why
                self._resumes = None
            case _:
                self._reads_at = at
                return self._next_line()
        return None

    @property
    def is_full(self) -> bool:
        """Whether it has so much unread input that whoever writes to it has to wait."""
        return self.exit is None and len(self._input) >= PIPE_BYTES

    def feed(self, data: bytes, now: datetime) -> None:
        """Gives it input, which it reads line by line."""
        self._input += data
        self._reads_from(now)

    def end_input(self, now: datetime) -> None:
        """Lets it know that no more input will come."""
        self._input_ended = True
        self._reads_from(now)

    def interrupt(self, now: datetime) -> None:
        """Does what Ctrl-C does: the program goes on from there, or ends."""
        self.advance(now)
        if self.exit is not None:
            return
        self._reads_at, self.instant = None, now
        try:
            step = self._run.throw(Interrupted())
        except StopIteration as ended:
            self._end(ended.value, now)
        except Interrupted:
            self._end(_INTERRUPTED, now)
        else:
            self._resumes = now
            self._take(step, now)
            self.advance(now)

    def kill(self, now: datetime, code: int = KILLED) -> None:
        """Ends it, unless it has ended by itself before."""
        self.advance(now)
        if self.exit is None:
            self._run.close()
            self._end(code, now)

    def _reads_from(self, now: datetime) -> None:
        if self._reads_at is not None:
            self._reads_at = now
            if self._has_line():
                self._resumes = now

    def _has_line(self) -> bool:
        return self._input_ended or self.is_full or b"\n" in self._input

    def _next_line(self) -> bytes | None:
        """The line that the program waits for; without one it waits on."""
        if not self._has_line():
            self._resumes = None
            return None
        self._resumes, self._reads_at = self._reads_at, None
        end = self._input.find(b"\n") + 1 or len(self._input)
        line = bytes(self._input[:end])
        del self._input[:end]
        return line

    def _pause(self, at: datetime, seconds: float) -> None:
        length = _LONGEST if seconds == math.inf else min(timedelta(seconds=min(seconds, 3e9)), _LONGEST)
        self._resumes = None if seconds == math.inf else at + length

    def _end(self, code: int, at: datetime) -> None:
        self.exit = Exit(code, at)
        self._resumes = None
        self._log.close()


def program_of(container: AnyContainer, behavior: ContainerBehavior, restarts: int, session: Session) -> Run:
    """What a container's process does: what its behaviour says, else what its command does, else what servers do."""
    if behavior.plays:
        return _behaved(behavior, restarts)
    command = expanded_command((*container.command, *container.args), session.environment)
    # Options that follow no command are those of the image's own program.
    if not command or (not container.command and command[0].startswith("-")):
        return _serves()
    return play(command, replace(session, runs_on=True, terminal=container.tty))


def termination_message(container: AnyContainer, code: int, files: Files, log: ContainerLog) -> str:
    """A container's last words: what it wrote to its message file or else, if so wanted, to its log."""
    try:
        return files.read(container.terminationMessagePath).decode(errors="replace")[:_LONGEST_MESSAGE]
    except OSError:
        if code == 0 or container.terminationMessagePolicy != "FallbackToLogsOnError":
            return ""
    return log.last_words()


def _behaved(behavior: ContainerBehavior, restarts: int) -> Run:
    ends = behavior.ends_run(restarts)
    left = behavior.exitAfterSeconds if ends else math.inf
    for pause, data in _written(behavior):
        if pause > left:
            break
        if pause:
            yield Pause(pause)
            left -= pause
        yield Output(data)
    if left == math.inf:
        yield Serve()
    yield Pause(left)
    return KILLED if behavior.outOfMemory else behavior.exitCode or 0


def _written(behavior: ContainerBehavior) -> Iterator[tuple[float, bytes]]:
    """Output, each with the seconds before it."""
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
