"""Shell commands that create, copy, move, remove and test files."""

import posixpath
from collections.abc import Callable, Sequence
from typing import Final

from memkube.controllers.kubelet.programs.files import NOTHING
from memkube.controllers.kubelet.programs.input import contents_of, options
from memkube.controllers.kubelet.programs.program import NotSimulated, Run, Session, error

_NUMBER_TESTS: Final[dict[str, Callable[[int, int], bool]]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_UNARY, _BINARY = 2, 3


def touch(arguments: Sequence[str], session: Session) -> Run:
    """Run ``touch``: create empty files, or set the times of existing files; with ``-c`` no file is created."""
    given, names = options(arguments, "c")
    for name in names:
        path = session.path(name)
        if "c" in given and not session.files.exists(path):
            continue
        try:
            session.files.touch(path, session.now())
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
            session.files.make_directory(path, session.now())
        except OSError as problem:
            yield error(f"mkdir: can't create directory '{name}': {problem}")
            code = 1
    return code


def remove(arguments: Sequence[str], session: Session) -> Run:
    """Run ``rm``. Directories are only removed with ``-r``."""
    given, names = options(arguments, "rRf")
    is_recursive = "r" in given or "R" in given
    code = 0
    for name in names:
        path = session.path(name)
        try:
            if session.files.status(path, follows=False).is_directory and not is_recursive:
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


def remove_directory(arguments: Sequence[str], session: Session) -> Run:
    """Run ``rmdir``: remove empty directories."""
    _, names = options(arguments, "")
    code = 0
    for name in names:
        path = session.path(name)
        try:
            if not session.files.status(path, follows=False).is_directory:
                raise OSError("Not a directory")
            if session.files.names_in(path):
                raise OSError("Directory not empty")
            session.files.remove(path)
        except OSError as problem:
            yield error(f"rmdir: '{name}': {problem}")
            code = 1
    return code


def copy(arguments: Sequence[str], session: Session) -> Run:
    """Run ``cp`` with the options -a, -f, -p, -r and -R. Copies keep permissions, but not times and owners."""
    given, names = options(arguments, "afprR")
    if len(names) <= 1:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    *sources, target = names
    code = 0
    for name in sources:
        path = session.path(name)
        if session.files.is_directory(path) and not given.keys() & {"a", "r", "R"}:
            yield error(f"cp: omitting directory '{name}'")
            code = 1
            continue
        copied = yield from _copy(name, path, _new_path(path, target, session), session)
        code = copied or code
    return code


def _copy(name: str, path: str, new_path: str, session: Session) -> Run:
    """Copy a file, or a directory with its files, to the path `new_path`. Error messages call the source `name`."""
    files = session.files
    try:
        if files.is_directory(path):
            inner = files.names_in(path)
            files.make_directory(new_path, session.now())
            code = 0
            for one in inner:
                below = posixpath.join(path, one)
                code = (
                    yield from _copy(posixpath.join(name, one), below, posixpath.join(new_path, one), session)
                ) or code
            return code
        contents = yield from contents_of("cp", name, session)
        if contents is None:
            return 1
        permissions = files.status(path).mode & 0o777
        is_new = not files.exists(new_path)
        files.write(new_path, contents, session.now())
        if is_new:
            files.change_mode(new_path, lambda _: permissions)
    except OSError as problem:
        yield error(f"cp: can't create '{new_path}': {problem}")
        return 1
    yield from session.budget.spend(1)
    return 0


def move(arguments: Sequence[str], session: Session) -> Run:
    """Run ``mv``: rename files and directories."""
    _, names = options(arguments, "f")
    if len(names) <= 1:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    *sources, target = names
    code = 0
    for name in sources:
        path = session.path(name)
        try:
            session.files.rename(path, _new_path(path, target, session))
        except OSError as problem:
            yield error(f"mv: can't rename '{name}': {problem}")
            code = 1
    return code


def _new_path(path: str, target: str, session: Session) -> str:
    """Return the path to which a file is copied or moved: `target`, or a path in `target` if that is a directory."""
    new_path = session.path(target)
    return posixpath.join(new_path, posixpath.basename(path)) if session.files.is_directory(new_path) else new_path


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
    """Return True if the condition `words`, the arguments of ``test``, is met.

    Raises ValueError for an invalid number, and NotSimulated for an unknown condition.
    """
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


def _exists(name: str, session: Session) -> bool:
    path = session.path(name)
    return session.files.is_file(path) or session.files.is_directory(path)


def _is_link(name: str, session: Session) -> bool:
    path = session.path(name)
    return session.files.exists(path) and session.files.status(path, follows=False).is_link


def _is_executable(name: str, session: Session) -> bool:
    return _exists(name, session) and bool(session.files.status(session.path(name)).mode & 0o111)


def _is_file(name: str, session: Session) -> bool:
    return session.files.is_file(session.path(name)) and session.path(name) != NOTHING


_UNARY_TESTS: Final[dict[str, Callable[[str, Session], bool]]] = {
    "-e": _exists,
    "-L": _is_link,
    "-h": _is_link,
    "-r": _exists,
    "-x": _is_executable,
    "-w": _exists,
    "-f": _is_file,
    "-s": lambda name, session: session.files.size(session.path(name)) > 0,
    "-d": lambda name, session: session.files.is_directory(session.path(name)),
    "-n": lambda text, _: bool(text),
    "-z": lambda text, _: not text,
}
