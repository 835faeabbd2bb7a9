"""Journals of simulated programs. A journal has the inputs of one program.

When a snapshot is restored, each program is run again with the inputs in its journal, until it reaches its saved state:
apart from its inputs, a program is deterministic. It is run again from its start or from its last checkpoint. A loop in
the script that a shell runs makes a checkpoint at each iteration, so that the journal of an endless loop stays small.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from math import inf
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import data, instant
from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.inodes import DIRECTORY_MODE, Contents, FileStatus, Inode
from memkube.controllers.kubelet.programs.program import (
    Checkpoint,
    Interrupted,
    Network,
    Pause,
    Run,
    Step,
    Transport,
    Traps,
)
from memkube.registry.declarations.streaming import HttpRequest

T = TypeVar("T")
InputKind: TypeAlias = Literal["line", "interrupt", "signal"]
MOST_BYTES: Final = 4 * 1024 * 1024
_ENTRY_BYTES: Final = 64
_LONGEST: Final = timedelta(days=365 * 100)
_ERRORS: Final[Mapping[str, type[OSError]]] = {
    error.__name__: error for error in (FileNotFoundError, IsADirectoryError, OSError)
}


class ProgramInput(NamedTuple):
    """An input of a program, such as a line or a signal, with the number of the step before which it arrived."""

    step: int
    instant: datetime
    kind: InputKind
    data: bytes


class Journal:
    """Records the inputs of a simulated program and what it reads, to run it again to the same step after a restore."""

    __slots__ = ("_inputs", "_remaining", "_results", "_size", "began", "checkpoint", "is_full", "steps")

    def __init__(self, began: datetime, checkpoint: Checkpoint | None = None, steps: int = 0) -> None:
        self.began = began
        self.steps = steps
        self.checkpoint = checkpoint
        self.is_full = False
        """True if the journal has exceeded its limit, so that the program cannot be replayed."""
        # Begin with empty tuples: most programs have no inputs, and an empty list takes 56 bytes.
        self._inputs: list[ProgramInput] | tuple[()] = ()
        self._results: list[tuple[int, Any]] | tuple[()] = ()
        """Results of lookups of files and of the network, each with the number of times that it occurred in a row."""
        self._size = 0
        self._remaining: list[tuple[int, Any]] | None = None
        """Results that were not replayed yet, the next one last; None if nothing is replayed."""

    def step(self) -> None:
        """Count one step of the program, which ends when the program writes output, pauses, or reads input.

        Each input is recorded with this count, so that `replay` repeats it before the same step.
        """
        self.steps += 1

    def record_input(self, at: datetime, kind: InputKind, data: bytes = b"") -> None:
        """Record an input that arrives at the time `at`, before the next step of the program.

        `data` is the line, or the name of the signal; an interrupt has none.
        """
        inputs = self._inputs = self._inputs or []
        inputs.append(ProgramInput(self.steps, at, kind, data))
        self._grow(_ENTRY_BYTES + len(data))

    def record_checkpoint(self, checkpoint: Checkpoint, at: datetime) -> None:
        """Record a checkpoint that the program makes at the time `at`.

        Inputs and results from before the checkpoint are dropped: the program can be run again from the checkpoint.
        """
        if self._remaining is None:
            self.began, self.checkpoint, self.steps = at, checkpoint, 1
            self._inputs = self._results = ()
            self._size, self.is_full = 0, False

    def lookup(self, look: Callable[[], T]) -> T:
        """Call `look`, which looks up a file or a network address for a program, and record its result.

        When a restored program is run again, return the recorded result instead.
        """
        if self._remaining is not None:
            again: T = self._next_result()
            return again
        try:
            result = look()
        except OSError as problem:
            self._record({"error": type(problem).__name__, "text": str(problem)})
            raise
        self._record(result)
        return result

    def replay(self, run: Run, traps: Traps, set_time: Callable[[datetime], None]) -> None:
        """Run a restored program again up to the step at which it was saved, with its recorded inputs and results.

        `traps` gets the recorded signals. `set_time` is called before each step, with the time of the step.
        """
        self._remaining = list(reversed(self._results))
        inputs = iter(self._inputs)
        next_input = next(inputs, None)
        now = self.began
        for number in range(self.steps):
            sent: bytes | None = None
            is_interrupted = False
            while next_input is not None and next_input.step == number:
                now = now if next_input.kind == "signal" else next_input.instant
                if next_input.kind == "signal":
                    traps.deliver(next_input.data.decode())
                elif next_input.kind == "line":
                    sent = next_input.data
                is_interrupted = next_input.kind == "interrupt"
                next_input = next(inputs, None)
            set_time(now)
            now = resumed_at(now, run.throw(Interrupted()) if is_interrupted else run.send(sent))
        while next_input is not None:
            traps.deliver(next_input.data.decode())
            next_input = next(inputs, None)
        self._remaining = None

    def saved(self) -> Document:
        """Return the recorded inputs of the program as JSON data, for a snapshot."""
        return {
            "began": self.began,
            "steps": self.steps,
            "mark": None if self.checkpoint is None else self.checkpoint._asdict(),
            "told": [tuple(one) for one in self._inputs],
            "found": [(count, {"data": what} if isinstance(what, bytes) else what) for count, what in self._results],
        }

    @classmethod
    def restored(cls, saved: Document) -> "Journal":
        """Decode the recorded inputs of a program from the result of :meth:`saved`.

        Raises ValueError, TypeError or KeyError for malformed data.
        """
        checkpoint = None if saved["mark"] is None else Checkpoint.restored(saved["mark"])
        journal = cls(instant(saved["began"]), checkpoint, saved["steps"])
        journal._inputs = [ProgramInput(step, instant(at), kind, data(raw)) for step, at, kind, raw in saved["told"]]
        journal._results = [
            (count, data(what["data"]) if isinstance(what, dict) and "data" in what else what)
            for count, what in saved["found"]
        ]
        return journal

    def _next_result(self) -> Any:
        assert self._remaining is not None
        count, what = self._remaining.pop()
        if count > 1:
            self._remaining.append((count - 1, what))
        if isinstance(what, list):
            return list(what)
        if isinstance(what, dict):
            raise _ERRORS.get(what["error"], OSError)(what["text"])
        return what

    def _record(self, what: Any) -> None:
        what = list(what) if isinstance(what, list) else what
        found = self._results = self._results or []
        if found and type(found[-1][1]) is type(what) and found[-1][1] == what:
            found[-1] = (found[-1][0] + 1, what)
            return
        found.append((1, what))
        self._grow(_ENTRY_BYTES + (len(what) if isinstance(what, bytes | list) else 0))

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MOST_BYTES:
            self.is_full = True
            self._inputs = self._results = ()


def resumed_at(at: datetime, step: Step) -> datetime:
    """Return the time at which a program continues after a step. `at` is the time at which the step was executed."""
    if not isinstance(step, Pause) or step.seconds == inf:
        return at
    return at + min(timedelta(seconds=min(step.seconds, 3e9)), _LONGEST)


class JournaledFiles(Files):
    """Files of a container for a simulated program, with recorded results.

    A restored program is run again and gets the recorded results, without reading the files.
    """

    __slots__ = ("_files", "_journal")

    def __init__(self, files: Files, journal: Journal) -> None:
        super().__init__({})
        self.began = files.began
        self._files = files
        self._journal = journal

    def read(self, path: str, start: int = 0) -> bytes:
        return self._journal.lookup(lambda: self._files.read(path, start))

    def size(self, path: str) -> int:
        return self._journal.lookup(lambda: self._files.size(path))

    def write(self, path: str, data: bytes, at: datetime, *, appends: bool = False) -> None:
        self._journal.lookup(lambda: self._files.write(path, data, at, appends=appends))

    def make_directory(self, path: str, at: datetime) -> None:
        self._journal.lookup(lambda: self._files.make_directory(path, at))

    def link(self, path: str, target: str, at: datetime) -> None:
        self._journal.lookup(lambda: self._files.link(path, target, at))

    def rename(self, path: str, target: str) -> None:
        self._journal.lookup(lambda: self._files.rename(path, target))

    def change_mode(self, path: str, change: Callable[[int], int]) -> None:
        self._journal.lookup(lambda: self._files.change_mode(path, change))

    def touch(self, path: str, at: datetime) -> None:
        self._journal.lookup(lambda: self._files.touch(path, at))

    def status(self, path: str, *, follows: bool = True) -> FileStatus:
        found: list[Any] = self._journal.lookup(lambda: list(self._files.status(path, follows=follows)))
        return FileStatus(*found)

    def exists(self, path: str) -> bool:
        return self._journal.lookup(lambda: self._files.exists(path))

    def real_path(self, path: str) -> str:
        return self._journal.lookup(lambda: self._files.real_path(path))

    def usage(self, mount_path: str) -> tuple[int, int]:
        size, used = self._journal.lookup(lambda: list(self._files.usage(mount_path)))
        return size, used

    def remove(self, path: str) -> None:
        self._journal.lookup(lambda: self._files.remove(path))

    def is_file(self, path: str) -> bool:
        return self._journal.lookup(lambda: self._files.is_file(path))

    def is_directory(self, path: str) -> bool:
        return self._journal.lookup(lambda: self._files.is_directory(path))

    def names_in(self, path: str) -> list[str]:
        return self._journal.lookup(lambda: self._files.names_in(path))


class JournaledNetwork:
    """Network of a simulated program, with recorded results.

    A restored program is run again and gets the recorded results, without using the network.
    """

    __slots__ = ("_journal", "_network")

    def __init__(self, network: Network, journal: Journal) -> None:
        self._network = network
        self._journal = journal

    def resolve(self, name: str) -> list[str]:
        return self._journal.lookup(lambda: self._network.resolve(name))

    def name_of(self, address: str) -> str:
        return self._journal.lookup(lambda: self._network.name_of(address))

    def records(self, name: str, record_type: str) -> list[str]:
        return self._journal.lookup(lambda: self._network.records(name, record_type))

    def request(self, address: str, port: int, request: HttpRequest) -> bytes:
        return self._journal.lookup(lambda: self._network.request(address, port, request))

    def exchange(self, address: str, port: int, data: bytes, protocol: Transport) -> bytes:
        return self._journal.lookup(lambda: self._network.exchange(address, port, data, protocol))


def saved_contents(contents: Contents) -> Document:
    """Return files as JSON data, by path: their contents, permissions, owners and modification times."""
    return {
        path: {"data": bytes(node.data), "mode": node.mode, "owner": [node.uid, node.gid], "modified": node.modified}
        for path, node in contents.items()
    }


def restored_contents(saved: Document) -> Contents:
    """Decode files from the result of `saved_contents` in a snapshot. Return them by path.

    Raises AttributeError, KeyError, TypeError or ValueError for malformed data.
    """
    return {path.rstrip("/"): _restored_inode(path, written) for path, written in saved.items()}


def _restored_inode(path: str, saved: Any) -> Inode:
    if isinstance(saved, dict) and "mode" in saved:
        uid, gid = saved["owner"]
        return Inode(bytearray(data(saved["data"])), saved["mode"], uid, gid, saved["modified"])
    # In snapshots of older versions of memkube, a path maps to the contents of the file, without permissions and owner.
    # The path of a directory ends with a slash there.
    contents = bytearray(data(saved))
    return Inode(contents, DIRECTORY_MODE) if path.endswith("/") else Inode(contents)
