"""The shell commands ``head`` and ``tail``. With ``-f``, ``tail`` also prints text that is appended later."""

import math
import re
from collections import deque
from collections.abc import Sequence
from typing import Final

from memkube.controllers.kubelet.programs.files import NOTHING
from memkube.controllers.kubelet.programs.input import Lines, contents_of, number, options
from memkube.controllers.kubelet.programs.program import Output, Pause, Run, Session, error

_LINES: Final = 10
_POLL: Final = 1.0


def head(arguments: Sequence[str], session: Session) -> Run:
    """Run ``head``: print the first lines or bytes of each file."""
    given, names = options(_with_number(arguments), "q", "nc")
    limit = number("head", given.get("c", given.get("n", str(_LINES))))
    code = 0
    for index, name in enumerate(names or ["-"]):
        if len(names) > 1 and "q" not in given:
            yield _title(name, is_first=not index)
        lines, left = Lines("head", [name], session), limit
        while left and (line := (yield from lines.next())):
            yield Output(line[:left] if "c" in given else line)
            left -= min(left, len(line)) if "c" in given else 1
        code = code or lines.code
    return code


def tail(arguments: Sequence[str], session: Session) -> Run:
    """Run ``tail``: print the last lines or bytes of each file, or everything from a line on.

    With ``-f``, text that is appended later is printed too.
    """
    given, names = options(_with_number(arguments), "fFq", "ncs")
    follows = "f" in given or "F" in given
    code, read = 0, {}
    for index, name in enumerate(names or ["-"]):
        if len(names) > 1 and "q" not in given:
            yield _title(name, is_first=not index)
        if name != "-" and not session.files.is_file(session.path(name)):
            yield from contents_of("tail", name, session)
            code = 1
            if "F" not in given:
                continue
        else:
            yield from _last(Lines("tail", [name], session), given)
        read[name] = session.files.size(session.path(name)) if name != "-" else 0
    if follows and names:
        if not read:
            yield error("tail: no files")
        else:
            yield from _follow(read, session, titled=len(names) > 1 and "q" not in given)
    return code


def _last(lines: Lines, given: dict[str, str]) -> Run:
    wanted = given.get("c", given.get("n", str(_LINES)))
    limit = number("tail", wanted.removeprefix("+").removeprefix("-"))
    if wanted.startswith("+"):
        skipped = max(limit - 1, 0)
        while line := (yield from lines.next()):
            if "c" in given:
                yield Output(line[skipped:])
                skipped = max(skipped - len(line), 0)
            elif skipped:
                skipped -= 1
            else:
                yield Output(line)
        return 0
    if "c" in given:
        yield Output(b"".join((yield from lines.remaining()))[-limit:] if limit else b"")
        return 0
    kept: deque[bytes] = deque(maxlen=min(limit, 100_000))
    while line := (yield from lines.next()):
        kept.append(line)
    yield Output(b"".join(kept))
    return 0


def _follow(read: dict[str, int], session: Session, *, titled: bool) -> Run:
    """Print text that is appended to files after the call. A file that becomes shorter is printed from its beginning.

    `read` has the number of bytes of each file that were printed, by name. If `titled` is True, a line with the name of
    the file is printed whenever the next text is from another file.
    """
    if all(session.path(name) == NOTHING for name in read):
        yield Pause(math.inf)
    shown = list(read)[-1]
    while True:
        session.budget.renew()
        yield Pause(_POLL)
        for name, before in read.items():
            path = session.path(name)
            size = session.files.size(path)
            if size == before:
                continue
            read[name] = size
            if titled and name != shown:
                shown = name
                yield _title(name, is_first=False)
            try:
                yield Output(session.files.read(path, before if size > before else 0))
            except OSError:
                # Skip a file that has become unreadable, for example because its permissions have changed.
                continue


def _with_number(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``-3`` replaced by ``-n 3``, unless it is the value of the option -n or -c.

    If the first argument of ``tail`` is ``+3``, it is replaced by ``-n +3``.
    """
    words: list[str] = []
    for index, word in enumerate(arguments):
        if index == 1 and arguments[0].endswith("tail") and re.fullmatch(r"\+[0-9]+", word):
            words += ["-n", word]
            continue
        is_count = bool(re.fullmatch("-[0-9]+", word)) and words[-1] not in ("-n", "-c")
        words += ["-n", word[1:]] if is_count else [word]
    return words


def _title(name: str, *, is_first: bool) -> Output:
    shown = "standard input" if name == "-" else name
    return Output(f"{'' if is_first else chr(10)}==> {shown} <==\n".encode())
