"""The interface of simulated programs: the steps that a program yields, and the session that it runs in."""

import posixpath
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from memkube.controllers.kubelet.programs.files import Files

T = TypeVar("T")
OutputStream: TypeAlias = Literal["stdout", "stderr"]

SIGNALS: Final = {"HUP": 1, "INT": 2, "QUIT": 3, "KILL": 9, "USR1": 10, "USR2": 12, "TERM": 15}
"""Signals that can be sent to programs, with their numbers (POSIX.1-2024, kill)."""
TERMINATING_SIGNALS: Final = frozenset({"INT", "QUIT", "TERM"})
"""Signals that end a container which is simulated as a server."""

_WORK_AT_ONCE: Final = 2000
_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 1.0


class NotSimulated(Exception):
    """Raised if a program, an option or a syntax is not simulated; the message names it."""


class Interrupted(Exception):
    """Ctrl-C was pressed. This exception is thrown into the program in place of the result of its step."""


@dataclass(frozen=True, slots=True)
class Output:
    """A step in which the program writes to a stream."""

    data: bytes
    stream: OutputStream = "stdout"


@dataclass(frozen=True, slots=True)
class Pause:
    """A step in which the program waits for a number of seconds, which may be infinite."""

    seconds: float
    busy: bool = False
    """True if the program has work to do, and pauses only to let other programs run."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A step in which the program waits for a line of input.

    The result is the line with its newline, or empty bytes at the end of the input.
    """


@dataclass(frozen=True, slots=True)
class Serve:
    """A step for a command that is not simulated. The program acts as a server from now on, which a signal ends."""

    why: str = ""
    """Text for an Event that names the command that is not simulated; empty to record no Event."""


Step: TypeAlias = Output | Pause | ReadLine | Serve
Steps: TypeAlias = Generator[Step, bytes | None, T]
"""Generator of the steps of a simulated program. It returns a value at its end."""
Run: TypeAlias = Steps[int]
"""A running program: a generator of steps that returns the exit code at its end."""


class Budget:
    """Limits the work that a program does without a pause: 200 shell commands or 2000 lines.

    The pauses grow from a millisecond to a second until the program waits by itself. A short burst of work is fast, and
    an endless loop takes little processor time.
    """

    __slots__ = ("_left", "_pause")

    def __init__(self) -> None:
        self._left = _WORK_AT_ONCE
        self._pause = _FIRST_PAUSE

    def spend(self, work: int) -> Iterator[Pause]:
        """Count work of a program. Once the limit is reached, yield a pause in which other programs can run."""
        self._left -= work
        if self._left <= 0:
            self._left = _WORK_AT_ONCE
            yield Pause(self._pause, busy=True)
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def renew(self) -> None:
        """Reset the counted work and the length of pauses, because the program has waited by itself."""
        self._left, self._pause = _WORK_AT_ONCE, _FIRST_PAUSE

    @property
    def state(self) -> tuple[int, float]:
        """The amount of work left and the seconds of the next pause, to be saved in checkpoints."""
        return self._left, self._pause

    @state.setter
    def state(self, saved: tuple[int, float]) -> None:
        self._left, self._pause = saved


@dataclass(slots=True)
class Traps:
    """The actions of a shell on signals (``trap``), and the signals that wait for their action."""

    actions: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)

    def deliver(self, signal: str) -> None:
        """Add a signal to the pending signals, if the shell has an action for the signal."""
        if signal in self.actions:
            self.pending.append(signal)


@dataclass(frozen=True, slots=True)
class FirstProcess:
    """The container's first process, as seen by other programs in the container."""

    command: tuple[str, ...]
    signal: Callable[[str], None]
    """Function that sends one of SIGNALS to the process."""


class Network(Protocol):
    """The network that a program can reach."""

    def resolve(self, name: str) -> list[str]:
        """Return the addresses of a DNS name; no addresses if the name does not exist."""

    def name_of(self, address: str) -> str:
        """Return the DNS name of an IP address, or an empty text."""

    def request(self, address: str, port: int, target: str) -> bytes:
        """Return the HTTP/1.1 response to a request for a path and query.

        Raises OSError with the reason if there is none, and NotSimulated for servers that are not simulated.
        """


class Checkpoint(NamedTuple):
    """The state of a shell at the start of an iteration of a loop in its script."""

    script: str
    item: int
    status: int
    """Exit status of the last command."""
    loop_status: int
    ends_at_failure: bool
    environment: dict[str, str]
    variables: dict[str, str]
    arguments: tuple[str, ...]
    working_directory: str
    actions: dict[str, str]
    pending: tuple[str, ...]
    budget: tuple[int, float]

    @classmethod
    def restored(cls, saved: dict[str, Any]) -> "Checkpoint":
        """Create a checkpoint from saved data. Raises TypeError or KeyError if the data is invalid."""
        tuples = {name: tuple(saved[name]) for name in ("arguments", "pending", "budget")}
        return cls(**{**saved, **tuples})


@dataclass(slots=True)
class Session:
    """The environment of one program: its variables, files, time and user."""

    environment: dict[str, str]
    hostname: str
    files: Files
    now: Callable[[], datetime]
    working_directory: str = "/"
    becomes_server: bool = False
    """True for a container's first process, which acts as a server from the first command on that is not simulated."""
    terminal: bool = False
    """True if input and output are a terminal."""
    variables: dict[str, str] = field(default_factory=dict)
    """Shell variables that are not exported."""
    arguments: tuple[str, ...] = ("sh",)
    """The positional parameters ``$0``, ``$1`` and so on."""
    budget: Budget = field(default_factory=Budget)
    traps: Traps = field(default_factory=Traps)
    user: int = 0
    groups: tuple[int, ...] = (0,)
    """The primary group, then the supplementary groups."""
    first_process: FirstProcess | None = None
    """The process that signals are sent to; None if the program may not send signals."""
    network: Network | None = None
    """The network that the program can reach; None if it has no network."""
    on_checkpoint: Callable[[Checkpoint], None] | None = None
    """Called with each checkpoint of the shell that is the program itself; None for other shells."""

    def variable(self, name: str) -> str | None:
        """Return the value of a variable, or None if it is not set."""
        return self.variables.get(name, self.environment.get(name))

    def assign(self, name: str, value: str) -> None:
        """Assign a value to a shell variable. A variable that was exported remains exported."""
        if name in self.environment:
            self.environment[name] = value
        else:
            self.variables[name] = value

    def export(self, words: Iterable[str]) -> None:
        """Export variables, given as ``NAME`` or ``NAME=VALUE``."""
        for word in words:
            name, is_set, value = word.partition("=")
            known = self.variables.pop(name, self.environment.get(name, ""))
            self.environment[name] = value if is_set else known

    def path(self, name: str) -> str:
        """Return the absolute path of a file. A relative `name` is relative to the working directory."""
        return posixpath.normpath(posixpath.join(self.working_directory, name))


def error(text: str) -> Output:
    """Return the step that writes a line to standard error."""
    return Output(f"{text}\n".encode(), "stderr")
