"""A played program: what it does, step by step, on a clock that somebody else moves, and what it finds around it."""

import posixpath
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from memkube.controllers.kubelet.programs.files import Files

T = TypeVar("T")
OutputStream: TypeAlias = Literal["stdout", "stderr"]

SIGNALS: Final = {"HUP": 1, "INT": 2, "QUIT": 3, "KILL": 9, "USR1": 10, "USR2": 12, "TERM": 15}
"""Those that programs are sent, by name (POSIX.1-2024, kill), with their numbers."""
ENDING: Final = frozenset({"INT", "QUIT", "TERM"})
"""Those that servers end at."""

_WORK_AT_ONCE: Final = 2000
_FIRST_REST: Final = 0.001
_LONGEST_REST: Final = 1.0


class Unplayable(Exception):
    """A program that is not played; the message says what is in the way."""


class Interrupted(Exception):
    """Thrown into a program in place of a step's result: Ctrl-C was pressed."""


@dataclass(frozen=True, slots=True)
class Output:
    """The program writes."""

    data: bytes
    stream: OutputStream = "stdout"


@dataclass(frozen=True, slots=True)
class Pause:
    """The program does nothing for a while; for ever, where `seconds` is infinite."""

    seconds: float
    busy: bool = False
    """Whether the program would have gone on, and only has to let others have their turn."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """The program waits for a line of input. It is sent the line with its end, or nothing at the end of the input."""


@dataclass(frozen=True, slots=True)
class Serve:
    """What comes next is not played: the program is taken for a server from now on, which ends when it is told to."""

    why: str = ""
    """What is in the way; nothing where nobody expects more to be played."""


Step: TypeAlias = Output | Pause | ReadLine | Serve
Steps: TypeAlias = Generator[Step, bytes | None, T]
"""Steps that lead to a value."""
Run: TypeAlias = Steps[int]
"""A program that runs: its steps, and at last its exit code."""


class Budget:
    """Work that a program may do without a pause: 200 commands of a shell, or 2000 lines.

    Rests grow from a millisecond to a second while nothing else makes the program wait, so that a short burst is
    over soon, and a loop without end takes little of anybody's time.
    """

    __slots__ = ("_left", "_rest")

    def __init__(self) -> None:
        self._left = _WORK_AT_ONCE
        self._rest = _FIRST_REST

    def spend(self, work: int) -> Iterator[Pause]:
        """Counts work; a pause where it has become too much."""
        self._left -= work
        if self._left <= 0:
            self._left = _WORK_AT_ONCE
            yield Pause(self._rest, busy=True)
            self._rest = min(self._rest * 2, _LONGEST_REST)

    def renew(self) -> None:
        """Begins anew, because the program waits by itself."""
        self._left, self._rest = _WORK_AT_ONCE, _FIRST_REST

    @property
    def left(self) -> tuple[int, float]:
        """The work and the rest that come next."""
        return self._left, self._rest

    @left.setter
    def left(self, saved: tuple[int, float]) -> None:
        self._left, self._rest = saved


@dataclass(slots=True)
class Traps:
    """What a shell does at signals (``trap``), and the signals that have come."""

    actions: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)

    def deliver(self, signal: str) -> None:
        """A signal comes; to who has no trap for it, it is nothing."""
        if signal in self.actions:
            self.pending.append(signal)


@dataclass(frozen=True, slots=True)
class FirstProcess:
    """The container's own process, as programs beside it see it."""

    command: tuple[str, ...]
    signal: Callable[[str], None]
    """Sends it one of SIGNALS."""


class Mark(NamedTuple):
    """Where a shell stands in its own script: at the beginning of a round of a loop that is an item of the script."""

    script: str
    item: int
    status: int
    """How the last command ended."""
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
    def restored(cls, saved: dict[str, Any]) -> "Mark":
        """The mark that was saved. Raises TypeError and KeyError."""
        tuples = {name: tuple(saved[name]) for name in ("arguments", "pending", "budget")}
        return cls(**{**saved, **tuples})


@dataclass(slots=True)
class Session:
    """The surroundings of one program: its environment, its files, and the time."""

    environment: dict[str, str]
    hostname: str
    files: Files
    now: Callable[[], datetime]
    working_directory: str = "/"
    runs_on: bool = False
    """Whether a command that is not played is taken for a server, as in a container's own process; else it is not
    found."""
    terminal: bool = False
    """Whether input and output are a terminal."""
    variables: dict[str, str] = field(default_factory=dict)
    """Shell variables that commands do not see."""
    arguments: tuple[str, ...] = ("sh",)
    """What a script calls ``$0``, ``$1`` and so on."""
    budget: Budget = field(default_factory=Budget)
    traps: Traps = field(default_factory=Traps)
    user: int = 0
    first: FirstProcess | None = None
    """Whom signals are sent to; None for who may not send any."""
    marks: Callable[[Mark], None] | None = None
    """Is told where a shell stands that is the program itself."""

    def variable(self, name: str) -> str | None:
        """The value of a variable, if it is set."""
        return self.variables.get(name, self.environment.get(name))

    def assign(self, name: str, value: str) -> None:
        """Gives a variable a value; commands see it if they have seen the one before."""
        if name in self.environment:
            self.environment[name] = value
        else:
            self.variables[name] = value

    def export(self, words: Iterable[str]) -> None:
        """Lets commands see variables, which ``NAME=VALUE`` gives a value as well."""
        for word in words:
            name, is_set, value = word.partition("=")
            known = self.variables.pop(name, self.environment.get(name, ""))
            self.environment[name] = value if is_set else known

    def path(self, name: str) -> str:
        """The absolute path of a file."""
        return posixpath.normpath(posixpath.join(self.working_directory, name))


def error(text: str) -> Output:
    """A line about what went wrong."""
    return Output(f"{text}\n".encode(), "stderr")
