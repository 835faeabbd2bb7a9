"""A container's program, played on the clock."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import data, instant, instant_or_none
from memkube.controllers.kubelet.behavior import ContainerBehavior
from memkube.controllers.kubelet.environment import expanded_command
from memkube.controllers.kubelet.log import ContainerLog
from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.interpreter import play, play_from
from memkube.controllers.kubelet.programs.journal import Journal, JournaledFiles, resumed_at
from memkube.controllers.kubelet.programs.program import Interrupted, Output, Pause, Run, Serve, Session, Step, Traps
from memkube.controllers.kubelet.surroundings import AnyContainer

KILLED: Final = 137
_INTERRUPTED: Final = 130
PIPE_BYTES: Final = 64 * 1024
"""How much a process is sent ahead of what it has read."""
_MOST_STEPS: Final = 2000
_LONGEST_MESSAGE: Final = 4096


Program: TypeAlias = Callable[["Process"], Run]
"""Makes the run of a process, from its start or from the mark in its journal, that goes by the process's instant."""


class Exit(NamedTuple):
    """How and when a process ended."""

    code: int
    instant: datetime


class Command(NamedTuple):
    """What a container says of its process. It is kept for as long as that runs; the container's spec is not."""

    command: tuple[str, ...]
    args: tuple[str, ...]
    terminal: bool

    @classmethod
    def of(cls, container: AnyContainer) -> "Command":
        """What it says."""
        return cls(tuple(container.command), tuple(container.args), container.tty)


class Process:
    """Runs a program from `started` on, and writes its output to a log with the times at which it came.

    The program is behind the clock until :meth:`advance` is called; what it did in between then happens at the
    instants at which it would have. One that was saved is played again before it goes on.
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
        self.unplayed: str | None = None
        """What kept the program from being played on, so that it has become a server."""

    def now(self) -> datetime:
        """The instant that it goes by."""
        return self.instant

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
            run, at = self._run, self._resumes
            self.instant = at
            if sent is not None:
                self.journal.tell(at, "line", sent)
            self.journal.step()
            try:
                step = run.send(sent)
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
                self._resumes = None if seconds == math.inf else resumed_at(at, step)
            case Serve(why=why):
                self.unplayed, self._resumes = why, None
                if not why and self.journal.steps == 1:
                    # Most containers do nothing else for as long as they run; it is soon made again if it has to be.
                    self._made = None
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
        run = self._run
        self._reads_at, self.instant = None, now
        self.journal.tell(now, "interrupt")
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
        """Ends it, unless it has ended by itself before."""
        self.advance(now)
        if self.exit is None:
            if self._made is not None:
                self._made.close()
            self._end(code, now)

    def signal(self, name: str, now: datetime) -> None:
        """Sends it a signal, which is nothing to a program without a trap for it."""
        # Only one that has been played up to where it is knows its traps.
        assert self._run is not None
        if name in self._traps.actions:
            self.journal.tell(now, "signal", name.encode())
            self._traps.deliver(name)

    def saved(self) -> Document:
        """What is to be kept of it."""
        return {
            "instant": self.instant,
            "resumes": self._resumes,
            "input": bytes(self._input),
            "inputEnded": self._input_ended,
            "readsAt": self._reads_at,
            "exit": self.exit,
            "unplayed": self.unplayed,
            "journal": self.journal.saved() if self.exit is None else None,
        }

    def restore(self, saved: Document) -> None:
        """Takes over what was saved. Raises ValueError, TypeError and KeyError."""
        self.instant = instant(saved["instant"])
        self._resumes, self._reads_at = instant_or_none(saved["resumes"]), instant_or_none(saved["readsAt"])
        self._input, self._input_ended = bytearray(data(saved["input"])), saved["inputEnded"]
        self.unplayed = saved["unplayed"]
        if saved["exit"] is not None:
            code, at = saved["exit"]
            self.exit = Exit(code, instant(at))
        else:
            self.journal = Journal.restored(saved["journal"])

    @property
    def _run(self) -> Run:
        """The program where it is, which takes a moment for one that was saved."""
        if self._made is None:
            now, self._made = self.instant, self._program(self)
            self.journal.replay(self._made, self._traps, self._go_back)
            self.instant = now
        return self._made

    def _go_back(self, at: datetime) -> None:
        self.instant = at

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

    def _end(self, code: int, at: datetime) -> None:
        self.exit = Exit(code, at)
        self._resumes = None
        self._log.close()


def program_of(says: Command, behavior: ContainerBehavior, restarts: int, session: Session, process: Process) -> Run:
    """What a container's process does: what its behaviour says, else what its command does, else what servers do."""
    if behavior.plays:
        return _behaved(behavior, restarts)
    journal = process.journal
    session = replace(
        session,
        files=JournaledFiles(session.files, journal),
        now=lambda: process.instant,
        marks=lambda mark: journal.begin_at(mark, process.instant),
    )
    if journal.mark is not None:
        return play_from(journal.mark, replace(session, runs_on=True, terminal=says.terminal))
    command = expanded_command((*says.command, *says.args), session.environment)
    # Options that follow no command are those of the image's own program.
    if not command or (not says.command and command[0].startswith("-")):
        return _serves()
    return play(command, replace(session, runs_on=True, terminal=says.terminal))


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
