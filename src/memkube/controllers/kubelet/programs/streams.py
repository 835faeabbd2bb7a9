"""Redirections and pipes of shell commands (POSIX.1-2024, XCU 2.7 and 2.9.2)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from memkube.controllers.kubelet.programs.program import (
    NotSimulated,
    Output,
    OutputStream,
    Pause,
    ReadLine,
    Run,
    Serve,
    Session,
    Step,
)

BROKEN_PIPE: Final = 141
_PIPE_BYTES: Final = 64 * 1024
_STREAMS: Final[dict[str, OutputStream]] = {"1": "stdout", "2": "stderr"}
_DEVICES: Final[dict[str, OutputStream]] = {"/dev/stdout": "stdout", "/dev/stderr": "stderr"}


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file to which an output stream is redirected."""

    path: str
    appends: bool = False


Destination: TypeAlias = OutputStream | WrittenFile
Destinations: TypeAlias = dict[OutputStream, Destination]


def unchanged() -> Destinations:
    """Return the destinations of the output streams without any redirection."""
    return {"stdout": "stdout", "stderr": "stderr"}


def named_stream(number: str, so_far: Destinations) -> Destination:
    """Return the stream or file to which ``>&1`` or ``>&2`` redirects. Raises NotSimulated for other numbers.

    `so_far` has the destinations of both streams after the command's preceding redirections.
    """
    if number not in _STREAMS:
        raise NotSimulated(f"a redirection to &{number} is not simulated")
    return so_far[_STREAMS[number]]


def named_file(path: str, so_far: Destinations, *, appends: bool) -> Destination:
    """Return the stream or file to which ``> FILE`` redirects. `appends` is True for ``>> FILE``.

    ``/dev/stdout`` and ``/dev/stderr`` mean a stream. `so_far` has the destinations of both streams after the command's
    preceding redirections. Raises NotSimulated for paths in ``/proc`` and ``/dev/fd``.
    """
    if path in _DEVICES:
        return so_far[_DEVICES[path]]
    if path.startswith(("/proc/", "/dev/fd/")):
        raise NotSimulated(f"a redirection to {path} is not simulated")
    return WrittenFile(path, appends)


def redirected(run: Run, destinations: Destinations, source: bytes | None, session: Session) -> Run:
    """Run the program `run` with redirected streams, and return its exit code.

    `destinations` says where the program's standard output and errors go. `source` is its input, or None if the input
    is not redirected. If a file cannot be written, print an error, and return 1 without running the program.
    """
    for destination in destinations.values():
        if isinstance(destination, WrittenFile):
            try:
                session.files.write(destination.path, b"", session.now(), appends=destination.appends)
            except OSError as problem:
                yield session.shell_error(f"can't create {destination.path}: {problem}")
                return 1
    rest = source
    sent: bytes | None = None
    while True:
        try:
            step = run.send(sent)
        except StopIteration as stop:
            code: int = stop.value
            return code
        sent = None
        if isinstance(step, ReadLine) and rest is not None:
            line, end, rest = rest.partition(b"\n")
            sent = line + end
        elif isinstance(step, Output):
            onward = _routed(step, destinations, session)
            if onward is not None:
                yield onward
        else:
            sent = yield step


def _routed(output: Output, destinations: Mapping[OutputStream, Destination], session: Session) -> Output | None:
    destination = destinations[output.stream]
    if not isinstance(destination, WrittenFile):
        return Output(output.data, destination)
    try:
        session.files.write(destination.path, output.data, session.now(), appends=True)
    except OSError as problem:
        return session.shell_error(f"write error: {problem}")
    return None


class _Stage:
    """One program of a pipe, with the input that it has not read yet."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.input = bytearray()
        self.input_ended = False
        self.reads = False
        self.wake_time = 0.0
        self.code: int | None = None

    @property
    def is_full(self) -> bool:
        """True if so much input is unread that the program before this one in the pipe must wait."""
        return self.code is None and len(self.input) >= _PIPE_BYTES

    def can_step(self, now: float) -> bool:
        """Return True if this program of the pipe can run its next step now."""
        if self.code is not None:
            return False
        if self.reads:
            return self.input_ended or self.is_full or b"\n" in self.input
        return self.wake_time <= now

    def step(self) -> Step | None:
        """Run the next step of this program of the pipe. Returns the step, or None if the program has ended."""
        line: bytes | None = None
        if self.reads:
            end = self.input.find(b"\n") + 1 or len(self.input)
            line = bytes(self.input[:end])
            del self.input[:end]
            self.reads = False
        try:
            return self.run.send(line)
        except StopIteration as stop:
            self.end(stop.value)
            return None

    def end(self, code: int) -> None:
        """Mark this program of the pipe as ended with the exit code `code`, and close its generator."""
        self.code = code
        self.input.clear()
        self.run.close()


def piped(runs: Sequence[Run]) -> Run:
    """Run the programs of a pipe in parallel, and return the exit code of the last one.

    A program ends when it writes to a program that has ended. It waits while the next program has not read its output.
    """
    stages = [_Stage(run) for run in runs]
    elapsed = 0.0
    try:
        while any(stage.code is None for stage in stages):
            index = _next(stages, elapsed)
            if index is not None:
                yield from _take(stages, index, elapsed)
                continue
            waiting = [stage.wake_time for stage in stages if stage.code is None and stage.wake_time > elapsed]
            wakes = min(waiting, default=math.inf)
            if wakes == math.inf and stages[0].code is None and stages[0].reads:
                line = yield ReadLine()
                stages[0].input += line or b""
                stages[0].input_ended = not line
            else:
                yield Pause(wakes - elapsed)
                elapsed = wakes
        return stages[-1].code or 0
    finally:
        for stage in stages:
            stage.run.close()


def _next(stages: Sequence[_Stage], now: float) -> int | None:
    """Return the index of the program in the pipe that runs next, or None if none can run.

    The last program that can run is chosen, so that little input is buffered.
    """
    for index in reversed(range(len(stages))):
        is_held = index + 1 < len(stages) and stages[index + 1].is_full
        if stages[index].can_step(now) and not is_held:
            return index
    return None


def _take(stages: Sequence[_Stage], index: int, now: float) -> Run:
    stage, reader = stages[index], stages[index + 1] if index + 1 < len(stages) else None
    match stage.step():
        case None:
            if reader is not None:
                reader.input_ended = True
        case Output(data=data, stream="stdout") if reader is not None:
            if reader.code is None:
                reader.input += data
            else:
                stage.end(BROKEN_PIPE)
        case Output() | Serve() as step:
            yield step
        case Pause(seconds=seconds, busy=True) as step:
            yield step
            stage.wake_time = now
        case Pause(seconds=seconds):
            stage.wake_time = now + seconds
        case ReadLine():
            stage.reads = True
    return 0
