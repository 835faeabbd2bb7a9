"""Commands that work on files."""

import posixpath
from collections.abc import Callable, Sequence
from typing import Final

from memkube.controllers.kubelet.programs.files import NOTHING
from memkube.controllers.kubelet.programs.input import contents_of, options
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session, error

_NUMBER_TESTS: Final[dict[str, Callable[[int, int], bool]]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_UNARY, _BINARY = 2, 3


def list_files(arguments: Sequence[str], session: Session) -> Run:
    """Run ``ls``, which prints one name per line. The long format is not simulated."""
    given, names = options(arguments, "1aA")
    code = 0
    places = [name for name in names or ["."] if session.files.is_directory(session.path(name))]
    for name in names:
        if session.files.is_file(session.path(name)):
            yield Output(f"{name}\n".encode())
        elif name not in places:
            yield error(f"ls: {name}: No such file or directory")
            code = 1
    for index, name in enumerate(places):
        if len(names) > 1:
            yield Output(f"{chr(10) if index or len(places) < len(names) else ''}{name}:\n".encode())
        entries = session.files.names_in(session.path(name))
        shown = [entry for entry in entries if given.keys() & {"a", "A"} or not entry.startswith(".")]
        hidden = [".", ".."] if "a" in given else []
        yield Output("".join(f"{entry}\n" for entry in [*hidden, *shown]).encode())
    return code


def touch(arguments: Sequence[str], session: Session) -> Run:
    """Run ``touch``: create empty files."""
    _, names = options(arguments, "")
    for name in names:
        path = session.path(name)
        if session.files.is_file(path) or session.files.is_directory(path):
            continue
        try:
            session.files.write(path, b"")
        except OSError as problem:
            yield error(f"touch: {name}: {problem}")
            return 1
    return 0


def make_directory(arguments: Sequence[str], session: Session) -> Run:
    """Run ``mkdir``: create directories."""
    given, names = options(arguments, "p")
    code = 0
    for name in names:
        path = session.path(name)
        try:
            if session.files.is_directory(path) and "p" not in given:
                raise OSError("File exists")
            session.files.make_directory(path)
        except OSError as problem:
            yield error(f"mkdir: can't create directory '{name}': {problem}")
            code = 1
    return code


def remove(arguments: Sequence[str], session: Session) -> Run:
    """Run ``rm``; directories need ``-r``."""
    given, names = options(arguments, "rRf")
    is_recursive = "r" in given or "R" in given
    code = 0
    for name in names:
        path = session.path(name)
        try:
            if session.files.is_directory(path) and not is_recursive:
                yield error(f"rm: '{name}' is a directory")
                code = 1
                continue
            session.files.remove(path)
        except FileNotFoundError:
            if "f" not in given:
                yield error(f"rm: can't remove '{name}': No such file or directory")
                code = 1
        except OSError as problem:
            yield error(f"rm: can't remove '{name}': {problem}")
            code = 1
    return code


def copy(arguments: Sequence[str], session: Session) -> Run:
    """Run ``cp``: copy files."""
    return (yield from _copied(arguments, session, moves=False))


def move(arguments: Sequence[str], session: Session) -> Run:
    """Run ``mv``: rename files."""
    return (yield from _copied(arguments, session, moves=True))


def _copied(arguments: Sequence[str], session: Session, *, moves: bool) -> Run:
    _, names = options(arguments, "fp")
    if len(names) <= 1:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    *sources, target = names
    code = 0
    for name in sources:
        path, goal = session.path(name), session.path(target)
        if session.files.is_directory(path):
            raise NotSimulated(f"{arguments[0]} of directories is not simulated")
        contents = yield from contents_of(arguments[0], name, session)
        if contents is None:
            code = 1
            continue
        if session.files.is_directory(goal):
            goal = posixpath.join(goal, posixpath.basename(path))
        try:
            session.files.write(goal, contents)
            if moves:
                session.files.remove(path)
        except OSError as problem:
            yield error(f"{arguments[0]}: can't create '{target}': {problem}")
            code = 1
    return code


def test(arguments: Sequence[str], session: Session) -> Run:
    """Run ``test``, ``[`` or ``[[`` with conditions on files, strings and numbers."""
    words = list(arguments[1:])
    closing = {"[": "]", "[[": "]]"}.get(arguments[0])
    if closing and (not words or words.pop() != closing):
        yield error(f"sh: missing {closing}")
        return 2
    try:
        return 0 if _holds(words, session) else 1
    except ValueError as problem:
        yield error(f"sh: {problem}")
        return 2


def _holds(words: Sequence[str], session: Session) -> bool:
    """Evaluate a condition. Raises ValueError for an invalid number, and NotSimulated for other conditions."""
    for joined, join in (("-o", any), ("-a", all)):
        if joined in words[1:-1]:
            at = words.index(joined, 1)
            return join((_holds(words[:at], session), _holds(words[at + 1 :], session)))
    if len(words) <= 1:
        return bool(words and words[0])
    if words[0] == "!":
        return not _holds(words[1:], session)
    if len(words) == _UNARY and words[0] in _UNARY_TESTS:
        return _UNARY_TESTS[words[0]](words[1], session)
    if len(words) == _BINARY:
        left, operator, right = words
        if operator in ("=", "==", "!="):
            return (left == right) == (operator != "!=")
        if compare := _NUMBER_TESTS.get(operator):
            return compare(_integer(left), _integer(right))
    raise NotSimulated(f"test {' '.join(words)} is not simulated")


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text}: bad number") from None


def _is_there(name: str, session: Session) -> bool:
    return session.files.is_file(session.path(name)) or session.files.is_directory(session.path(name))


def _is_file(name: str, session: Session) -> bool:
    return session.files.is_file(session.path(name)) and session.path(name) != NOTHING


_UNARY_TESTS: Final[dict[str, Callable[[str, Session], bool]]] = {
    "-e": _is_there,
    "-r": _is_there,
    "-w": _is_there,
    "-f": _is_file,
    "-s": lambda name, session: session.files.size(session.path(name)) > 0,
    "-d": lambda name, session: session.files.is_directory(session.path(name)),
    "-n": lambda text, _: bool(text),
    "-z": lambda text, _: not text,
}
