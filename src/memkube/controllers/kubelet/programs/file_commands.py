"""The commands that are played on files."""

from collections.abc import Callable, Sequence
from typing import Final

from memkube.controllers.kubelet.programs.files import ReadOnlyFile
from memkube.controllers.kubelet.programs.session import Session
from memkube.controllers.kubelet.programs.steps import Output, ReadLine, Run, error

_NUMBER_TESTS: Final[dict[str, Callable[[int, int], bool]]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_UNARY, _BINARY = 2, 3


def cat(arguments: Sequence[str], session: Session) -> Run:
    """Files, or the input where none is named."""
    if len(arguments) == 1:
        while line := (yield ReadLine()):
            yield Output(line)
        return 0
    code = 0
    for name in arguments[1:]:
        try:
            yield Output(session.files.read(name))
        except IsADirectoryError:
            yield error("cat: read error: Is a directory")
            code = 1
        except FileNotFoundError:
            yield error(f"cat: can't open '{name}': No such file or directory")
            code = 1
    return code


def list_files(arguments: Sequence[str], session: Session) -> Run:
    """Names of files, one a line, without the options that show more of them."""
    names = list(arguments[1:]) or [session.working_directory]
    code = 0
    for name in names:
        if name.startswith("-"):
            yield error(f"ls: option {name} is not played")
            return 1
        if session.files.is_directory(name):
            yield Output("".join(f"{entry}\n" for entry in session.files.names_in(name)).encode())
        elif session.files.is_file(name):
            yield Output(f"{name}\n".encode())
        else:
            yield error(f"ls: {name}: No such file or directory")
            code = 1
    return code


def touch(arguments: Sequence[str], session: Session) -> Run:
    """Makes empty files."""
    for name in arguments[1:]:
        if session.files.is_file(name) or session.files.is_directory(name):
            continue
        try:
            session.files.write(name, b"")
        except ReadOnlyFile:
            yield error(f"touch: {name}: Read-only file system")
            return 1
    return 0


def remove(arguments: Sequence[str], session: Session) -> Run:
    """Removes files."""
    forced = False
    code = 0
    for name in arguments[1:]:
        if name.startswith("-"):
            forced = forced or "f" in name
            continue
        try:
            session.files.remove(name)
        except ReadOnlyFile:
            yield error(f"rm: can't remove '{name}': Read-only file system")
            code = 1
        except FileNotFoundError:
            if not forced:
                yield error(f"rm: can't remove '{name}': No such file or directory")
                code = 1
    return code


def test(arguments: Sequence[str], session: Session) -> Run:
    """``test`` and ``[``: files, strings and numbers."""
    words = list(arguments[1:])
    if arguments[0] == "[" and (not words or words.pop() != "]"):
        yield error("sh: missing ]")
        return 2
    negated = words[:1] == ["!"]
    holds = _holds(words[1:] if negated else words, session)
    if holds is None:
        yield error(f"sh: {arguments[0]}: {' '.join(words)} is not played")
        return 2
    return 1 if holds == negated else 0


def _holds(words: Sequence[str], session: Session) -> bool | None:
    if len(words) <= 1:
        return bool(words and words[0])
    if len(words) == _UNARY:
        operator, operand = words
        if operator in ("-e", "-f", "-s", "-r"):
            is_there = session.files.is_file(operand) or (operator == "-e" and session.files.is_directory(operand))
            return is_there and (operator != "-s" or bool(session.files.read(operand)))
        checks: dict[str, bool] = {
            "-d": session.files.is_directory(operand),
            "-n": bool(operand),
            "-z": not operand,
        }
        return checks.get(operator)
    if len(words) == _BINARY:
        left, operator, right = words
        if operator in ("=", "==", "!="):
            return (left == right) == (operator != "!=")
        compare = _NUMBER_TESTS.get(operator)
        try:
            return compare(int(left), int(right)) if compare else None
        except ValueError:
            return None
    return None
