"""Input of simulated shell commands: options, and lines of files or standard input."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.kubelet.programs.program import NotSimulated, ReadLine, Run, Session, Steps, error

_SAYING_OPEN: Final = frozenset({"base64", "cat", "md5sum", "sha1sum", "sha256sum", "sha512sum", "tail"})
"""Commands whose error for a file that cannot be read says ``can't open``."""
_MOST_KEPT: Final = 8 * 1024 * 1024
_LINE_OVERHEAD: Final = 40
"""Bytes of memory that a line occupies in addition to its text."""


class Lines:
    """Reads lines from the files that a command names, or from standard input if it names none.

    `code` is the exit code for the command: 1 if a file could not be read, otherwise 0.
    """

    def __init__(self, command: str, names: Sequence[str], session: Session) -> None:
        self._command = command
        self._names = list(names) or ["-"]
        self.session = session
        self._left = b""
        self._at = 0
        self._reads_input = False
        self.name = ""
        """Name of the file from which the last line was read."""
        self.code = 0

    def next(self) -> Steps[bytes]:
        """Return the next line of the input, or empty bytes at its end."""
        yield from self.session.budget.spend(1)
        while True:
            if self._at < len(self._left):
                end = self._left.find(b"\n", self._at) + 1 or len(self._left)
                line, self._at = self._left[self._at : end], end
                return line
            if self._reads_input:
                line = (yield ReadLine()) or b""
                if line:
                    return line
                self._reads_input = False
            if not self._names:
                return b""
            self.name = self._names.pop(0)
            if self.name == "-":
                self._reads_input = True
            else:
                self._left, self._at = (yield from self._contents()), 0

    def remaining(self) -> Steps[list[bytes]]:
        """Return all lines that were not read yet. Raises NotSimulated if they exceed the memory limit."""
        lines: list[bytes] = []
        size = 0
        while line := (yield from self.next()):
            lines.append(line)
            size += len(line) + _LINE_OVERHEAD
            if size > _MOST_KEPT:
                raise NotSimulated(f"{self._command} with more than 8 MiB of input is not simulated")
        return lines

    def _contents(self) -> Steps[bytes]:
        contents = yield from contents_of(self._command, self.name, self.session)
        self.code = 1 if contents is None else self.code
        return contents or b""


def contents_of(command: str, name: str, session: Session) -> Steps[bytes | None]:
    """Return the contents of a file. If it cannot be read, print an error of the command and return None.

    Raises NotSimulated for devices, and for files of the kernel that are not simulated.
    """
    path = session.path(name)
    if path.startswith(("/dev/", "/proc/", "/sys/")) and not session.files.is_file(path):
        raise NotSimulated(f"reading {path} is not simulated")
    try:
        return session.files.read(path)
    except IsADirectoryError:
        yield error(f"{command}: read error: Is a directory")
    except OSError as problem:
        says = f"can't open '{name}'" if command in _SAYING_OPEN else name
        yield error(f"{command}: {says}: {problem}")
    return None


def options(arguments: Sequence[str], flags: str, valued: str = "") -> tuple[dict[str, str], list[str]]:
    """Parse the arguments of a command. Returns the options by letter, and the other arguments.

    `flags` are the letters of options without a value, `valued` those of options with a value. Raises NotSimulated for
    other options.
    """
    found: dict[str, str] = {}
    words = list(arguments[1:])
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in flags:
                found[letter] = ""
            elif letter in valued and (letters or words):
                found[letter], letters = letters or words.pop(0), ""
            else:
                raise NotSimulated(f"{arguments[0]} {word} is not simulated")
    return found, words


def number(command: str, text: str) -> int:
    """Parse the value of an option that must be a number. Raises NotSimulated, naming `command`, if it is not one."""
    if not text.isdigit() or len(text) > 15:
        raise NotSimulated(f"{command} with {text!r} in place of a number is not simulated")
    return int(text)


def read_variables(session: Session, names: list[str]) -> Run:
    """Run ``read``: assign the words of a line to variables. The last variable gets the remainder of the line."""
    if names[:1] == ["-r"]:
        names = names[1:]
    line = yield ReadLine()
    fields = (line or b"").decode(errors="replace").split(None, max(len(names) - 1, 0))
    for index, name in enumerate(names or ["REPLY"]):
        session.assign(name, fields[index].rstrip("\n") if index < len(fields) else "")
    return 0 if line else 1
