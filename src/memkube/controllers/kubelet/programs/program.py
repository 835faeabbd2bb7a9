"""Interface of simulated programs: the steps that they yield, and the sessions in which they run."""

import posixpath
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.variables import Environment
from memkube.registry.declarations.streaming import HttpRequest

T = TypeVar("T")
OutputStream: TypeAlias = Literal["stdout", "stderr"]
Transport: TypeAlias = Literal["TCP", "UDP"]
"""Transport protocol of a connection."""

SIGNALS: Final = {"HUP": 1, "INT": 2, "QUIT": 3, "KILL": 9, "USR1": 10, "USR2": 12, "TERM": 15}
"""Numbers of the signals that can be sent to programs, by name (POSIX.1-2024, kill)."""
TERMINATING_SIGNALS: Final = frozenset({"INT", "QUIT", "TERM"})
"""Signals that end a container whose program acts as a server, such as nginx: see :class:`Serve`."""

_WORK_AT_ONCE: Final = 2000
_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 1.0


class NotSimulated(Exception):
    """Raised if a program, an option or a syntax is not simulated. The message names it."""


class Interrupted(Exception):
    """Raised inside a program, instead of resuming it with the result of a step, if the user has pressed Ctrl-C."""


@dataclass(frozen=True, slots=True)
class Output:
    """Step in which a program writes to an output stream."""

    data: bytes
    stream: OutputStream = "stdout"


@dataclass(frozen=True, slots=True)
class Pause:
    """Step in which a program waits for a number of seconds, which may be infinite."""

    seconds: float
    busy: bool = False
    """True if the program has more work to do, and only pauses to let other programs run."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """Step in which a program waits for a line of input.

    Its result is the line with its newline, or empty bytes at the end of the input.
    """


@dataclass(frozen=True, slots=True)
class Serve:
    """Step in which a program begins to act as a server: it runs until a signal ends it.

    Programs that are servers yield this step, and so do programs whose next command is not simulated.
    """

    why: str = ""
    """Text for an Event, which names the command that is not simulated; empty to record no Event."""
    stop_seconds: float = 0
    """Seconds from the signal TERM until the program ends with exit code 0."""


Step: TypeAlias = Output | Pause | ReadLine | Serve
Steps: TypeAlias = Generator[Step, bytes | None, T]
"""Generator that yields the steps of a simulated program, and returns a value."""
Run: TypeAlias = Steps[int]
"""Generator that yields the steps of a running program, and returns its exit code."""


class Budget:
    """Makes a program pause after each 200 shell commands or 2000 lines, so that other programs can run.

    The first pause takes a millisecond, and each further one twice as long, up to a second. After the program itself
    has waited, for example in ``sleep``, the pauses begin again with a millisecond. So a short burst of work is fast,
    and an endless loop takes little CPU time.
    """

    __slots__ = ("_left", "_pause")

    def __init__(self) -> None:
        self._left = _WORK_AT_ONCE
        self._pause = _FIRST_PAUSE

    def spend(self, work: int) -> Iterator[Pause]:
        """Add `work` to the work that the program has done: 1 for a line, 10 for a shell command.

        When the limit is reached, yield a pause in which other programs can run.
        """
        self._left -= work
        if self._left <= 0:
            self._left = _WORK_AT_ONCE
            yield Pause(self._pause, busy=True)
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def renew(self) -> None:
        """Reset the work and the pauses, because the program itself waits now, for example in ``sleep``."""
        self._left, self._pause = _WORK_AT_ONCE, _FIRST_PAUSE

    @property
    def state(self) -> tuple[int, float]:
        """Amount of work (counted as by `spend`) until the next pause, and the length of that pause in seconds."""
        return self._left, self._pause

    @state.setter
    def state(self, saved: tuple[int, float]) -> None:
        self._left, self._pause = saved


@dataclass(slots=True)
class Traps:
    """The actions that a shell has set for signals (``trap``), and the signals whose action has not run yet."""

    actions: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)

    def deliver(self, signal: str) -> None:
        """Record a signal, so that its action runs next. A signal without an action is ignored."""
        if signal in self.actions:
            self.pending.append(signal)


@dataclass(frozen=True, slots=True)
class FirstProcess:
    """The container's first process, to which other programs in the container can send signals."""

    command: tuple[str, ...]
    signal: Callable[[str], None]
    """Function that sends one of SIGNALS to the process."""


class Network(Protocol):
    """The network that simulated programs of a pod can reach."""

    def resolve(self, name: str) -> list[str]:
        """Return the IP addresses of a fully qualified DNS name; empty if the name does not exist."""

    def name_of(self, address: str) -> str:
        """Return the DNS name of an IP address, or an empty text."""

    def records(self, name: str, record_type: str) -> list[str]:
        """Return the DNS records of a name and a type such as ``A``, each as ``OWNER TYPE DATA``.

        If the name is an alias, its CNAME record comes first. Raises NotSimulated if the type is not simulated.
        """

    def request(self, address: str, port: int, request: HttpRequest) -> bytes:
        """Send an HTTP request to an address and port. Returns the HTTP/1.1 response.

        Raises OSError with the reason if there is no response, and NotSimulated if the server is not simulated.
        """

    def exchange(self, address: str, port: int, data: bytes, protocol: Transport) -> bytes:
        """Connect to an address and port by TCP or UDP, send `data`, and return what the server sends.

        Raises OSError with the reason if there is no connection, and NotSimulated if the server is not simulated.
        """


class Checkpoint(NamedTuple):
    """State of a shell at the start of an iteration of a loop in its script."""

    script: str
    item: int
    status: int
    """Exit status of the shell's last command."""
    loop_status: int
    ends_at_failure: bool
    environment: dict[str, str | None]
    """The shell's own environment variables; None for each variable of Services that it has unset."""
    variables: dict[str, str]
    arguments: tuple[str, ...]
    working_directory: str
    actions: dict[str, str]
    pending: tuple[str, ...]
    budget: tuple[int, float]
    first_line: int = 0
    names_lines: bool = False
    traces: bool = False

    @classmethod
    def restored(cls, saved: dict[str, Any]) -> "Checkpoint":
        """Decode a checkpoint from its fields in JSON data. Raises TypeError or KeyError for malformed data."""
        tuples = {name: tuple(saved[name]) for name in ("arguments", "pending", "budget")}
        return cls(**{**saved, **tuples})


@dataclass(slots=True)
class Session:
    """Environment in which one program runs: variables, files, clock and user."""

    environment: Environment
    hostname: str
    files: Files
    now: Callable[[], datetime]
    working_directory: str = "/"
    becomes_server: bool = False
    """True for the container's first process: it becomes a server when it reaches a command that is not simulated."""
    terminal: bool = False
    """True if the program's input and output are a terminal."""
    variables: dict[str, str] = field(default_factory=dict)
    """Shell variables that are not exported."""
    arguments: tuple[str, ...] = ("sh",)
    """Positional parameters of the shell: ``$0``, ``$1`` and so on."""
    budget: Budget = field(default_factory=Budget)
    traps: Traps = field(default_factory=Traps)
    line: int | None = None
    """Number of the line of the shell's script that runs; None if the script has no line numbers."""
    first_line: int = 0
    """Number of the first line of the script: 1 in a file, and 0 after ``sh -c``, as in busybox."""
    names_lines: bool = False
    """True if all errors of the shell name the line, as in a script that is a file."""
    user: int = 0
    groups: tuple[int, ...] = (0,)
    """IDs of the user's groups: the primary group, then the supplementary groups."""
    first_process: FirstProcess | None = None
    """Process to which the program can send signals; None if it may send none."""
    network: Network | None = None
    """Network that the program can reach, or None."""
    on_checkpoint: Callable[[Checkpoint], None] | None = None
    """Function that is called with each checkpoint of the shell; None if this shell makes no checkpoints."""

    def variable(self, name: str) -> str | None:
        """Return the value of a shell or environment variable, or None if it is not set."""
        return self.variables[name] if name in self.variables else self.environment.get(name)

    def assign(self, name: str, value: str) -> None:
        """Assign a value to a shell variable. A variable that was exported remains exported."""
        if name in self.environment:
            self.environment[name] = value
        else:
            self.variables[name] = value

    def export(self, words: Iterable[str]) -> None:
        """Export shell variables, which are given as ``NAME`` or ``NAME=VALUE``."""
        for word in words:
            name, is_set, value = word.partition("=")
            known = self.variable(name) or ""
            self.variables.pop(name, None)
            self.environment[name] = value if is_set else known

    def shell_error(self, text: str, builtin: str = "") -> Output:
        """Return a step in which the shell writes an error. Like busybox, it begins with ``$0`` and the line number.

        `builtin` is the name of the shell's own command that failed, if one did.
        """
        parts = [self.arguments[0], *([builtin] if builtin else [])]
        if self.line is not None and (builtin or self.names_lines):
            parts.append(f"line {self.line}")
        return error(": ".join([*parts, text]))

    def path(self, name: str) -> str:
        """Return the absolute path of a file. `name` may be relative to the working directory."""
        return posixpath.normpath(posixpath.join(self.working_directory, name))


def error(text: str) -> Output:
    """Return a step that writes a line to standard error."""
    return Output(f"{text}\n".encode(), "stderr")
