"""What a program was told and what it found, so that it can be played again up to where it is.

A program is deterministic but for this. It begins at its start, or at its last mark: a loop of a shell's own script
marks where it stands each time that it goes round, so that what is kept of a program that runs on and on stays small.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from math import inf
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from memkube.apimachinery.model import Document
from memkube.controllers.framework.saved_values import data, instant
from memkube.controllers.kubelet.programs.files import Contents, Files
from memkube.controllers.kubelet.programs.program import Interrupted, Mark, Pause, Run, Step, Traps

T = TypeVar("T")
Word: TypeAlias = Literal["line", "interrupt", "signal"]
MOST_BYTES: Final = 4 * 1024 * 1024
_ENTRY_BYTES: Final = 64
_LONGEST: Final = timedelta(days=365 * 100)
_ERRORS: Final[Mapping[str, type[OSError]]] = {
    error.__name__: error for error in (FileNotFoundError, IsADirectoryError, OSError)
}


class Told(NamedTuple):
    """Something that came to a program from outside, before one of its steps."""

    step: int
    instant: datetime
    word: Word
    data: bytes


class Journal:
    """Is written while a program runs, and read while it is played again."""

    __slots__ = ("_found", "_left", "_size", "_told", "began", "is_full", "mark", "steps")

    def __init__(self, began: datetime, mark: Mark | None = None, steps: int = 0) -> None:
        self.began = began
        self.steps = steps
        self.mark = mark
        self.is_full = False
        """More has happened than is kept: the program cannot be played again."""
        # Most programs are told nothing and find nothing, and an empty list takes up 56 bytes.
        self._told: list[Told] | tuple[()] = ()
        self._found: list[tuple[int, Any]] | tuple[()] = ()
        """What files were found to be, each with how often in a row."""
        self._size = 0
        self._left: list[tuple[int, Any]] | None = None
        """What is still to be found again, the next one last."""

    def step(self) -> None:
        """The program takes another step."""
        self.steps += 1

    def tell(self, at: datetime, word: Word, told: bytes = b"") -> None:
        """The program is told something before its next step."""
        all_told = self._told = self._told or []
        all_told.append(Told(self.steps, at, word, told))
        self._grow(_ENTRY_BYTES + len(told))

    def begin_at(self, mark: Mark, at: datetime) -> None:
        """The program marks where it stands, in the middle of a step."""
        if self._left is None:
            self.began, self.mark, self.steps = at, mark, 1
            self._told = self._found = ()
            self._size, self.is_full = 0, False

    def found(self, look: Callable[[], T]) -> T:
        """What a look at files finds, or has found when the program was played for the first time."""
        if self._left is not None:
            again: T = self._found_again()
            return again
        try:
            result = look()
        except OSError as problem:
            self._note({"error": type(problem).__name__, "text": str(problem)})
            raise
        self._note(result)
        return result

    def replay(self, run: Run, traps: Traps, at: Callable[[datetime], None]) -> None:
        """Plays a new run up to where the program is; `at` is told the instant of each step."""
        self._left = list(reversed(self._found))
        told = iter(self._told)
        next_told = next(told, None)
        now = self.began
        for number in range(self.steps):
            sent: bytes | None = None
            is_interrupted = False
            while next_told is not None and next_told.step == number:
                now = now if next_told.word == "signal" else next_told.instant
                if next_told.word == "signal":
                    traps.deliver(next_told.data.decode())
                elif next_told.word == "line":
                    sent = next_told.data
                is_interrupted = next_told.word == "interrupt"
                next_told = next(told, None)
            at(now)
            now = resumed_at(now, run.throw(Interrupted()) if is_interrupted else run.send(sent))
        while next_told is not None:
            traps.deliver(next_told.data.decode())
            next_told = next(told, None)
        self._left = None

    def saved(self) -> Document:
        """What is to be kept of it."""
        return {
            "began": self.began,
            "steps": self.steps,
            "mark": None if self.mark is None else self.mark._asdict(),
            "told": [tuple(told) for told in self._told],
            "found": [(count, {"data": what} if isinstance(what, bytes) else what) for count, what in self._found],
        }

    @classmethod
    def restored(cls, saved: Document) -> "Journal":
        """The journal that was saved. Raises ValueError, TypeError and KeyError."""
        mark = None if saved["mark"] is None else Mark.restored(saved["mark"])
        journal = cls(instant(saved["began"]), mark, saved["steps"])
        journal._told = [Told(step, instant(at), word, data(told)) for step, at, word, told in saved["told"]]
        journal._found = [
            (count, data(what["data"]) if isinstance(what, dict) and "data" in what else what)
            for count, what in saved["found"]
        ]
        return journal

    def _found_again(self) -> Any:
        assert self._left is not None
        count, what = self._left.pop()
        if count > 1:
            self._left.append((count - 1, what))
        if isinstance(what, list):
            return list(what)
        if isinstance(what, dict):
            raise _ERRORS.get(what["error"], OSError)(what["text"])
        return what

    def _note(self, what: Any) -> None:
        what = list(what) if isinstance(what, list) else what
        found = self._found = self._found or []
        if found and type(found[-1][1]) is type(what) and found[-1][1] == what:
            found[-1] = (found[-1][0] + 1, what)
            return
        found.append((1, what))
        self._grow(_ENTRY_BYTES + (len(what) if isinstance(what, bytes | list) else 0))

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MOST_BYTES:
            self.is_full = True
            self._told = self._found = ()


def resumed_at(at: datetime, step: Step) -> datetime:
    """When a program goes on after a step that nobody has to answer."""
    if not isinstance(step, Pause) or step.seconds == inf:
        return at
    return at + min(timedelta(seconds=min(step.seconds, 3e9)), _LONGEST)


class JournaledFiles(Files):
    """Files as a program sees them whose journal notes what it finds; when it is played again, nothing is touched."""

    __slots__ = ("_files", "_journal")

    def __init__(self, files: Files, journal: Journal) -> None:
        super().__init__({})
        self._files = files
        self._journal = journal

    def read(self, path: str, start: int = 0) -> bytes:
        """See Files."""
        return self._journal.found(lambda: self._files.read(path, start))

    def size(self, path: str) -> int:
        """See Files."""
        return self._journal.found(lambda: self._files.size(path))

    def write(self, path: str, data: bytes, *, appends: bool = False) -> None:
        """See Files."""
        self._journal.found(lambda: self._files.write(path, data, appends=appends))

    def make_directory(self, path: str) -> None:
        """See Files."""
        self._journal.found(lambda: self._files.make_directory(path))

    def remove(self, path: str) -> None:
        """See Files."""
        self._journal.found(lambda: self._files.remove(path))

    def is_file(self, path: str) -> bool:
        """See Files."""
        return self._journal.found(lambda: self._files.is_file(path))

    def is_directory(self, path: str) -> bool:
        """See Files."""
        return self._journal.found(lambda: self._files.is_directory(path))

    def names_in(self, path: str) -> list[str]:
        """See Files."""
        return self._journal.found(lambda: self._files.names_in(path))


def saved_contents(contents: Contents) -> Document:
    """Files by their path."""
    return {path: bytes(written) for path, written in contents.items()}


def restored_contents(saved: Document) -> Contents:
    """Files that were saved. Raises ValueError and TypeError."""
    return {path: bytearray(data(written)) for path, written in saved.items()}
