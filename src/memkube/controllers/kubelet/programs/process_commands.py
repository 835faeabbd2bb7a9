"""Commands about users and processes, as they behave in the busybox image.

A program sees the container's own process, which is number 1; those of other clients it does not see.
"""

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from memkube.controllers.kubelet.programs.program import SIGNALS, Output, Run, Session, Unplayable, error

_ROOT: Final = "root"
_FIRST: Final = 1


def identity(arguments: Sequence[str], session: Session) -> Run:
    """``id -u`` and ``id -g``."""
    options = "".join(word.removeprefix("-") for word in arguments[1:])
    if options == "u":
        yield Output(f"{session.user}\n".encode())
    elif options in ("un", "nu"):
        return (yield from user_name(arguments[:1], session))
    elif options == "g" and not session.user:
        yield Output(b"0\n")
    else:
        raise Unplayable(f"{' '.join(arguments)} is not played")
    return 0


def user_name(arguments: Sequence[str], session: Session) -> Run:
    """``whoami``: root is the only user that every image knows."""
    if session.user:
        yield error(f"{arguments[0]}: unknown uid {session.user}")
        return 1
    yield Output(f"{_ROOT}\n".encode())
    return 0


def find_processes(arguments: Sequence[str], session: Session) -> Run:
    """``pgrep`` with the options -f, -x, -n, -o and -u."""
    if session.first is None:
        raise Unplayable(f"{arguments[0]} is not played here")
    words, flags, users = list(arguments[1:]), "", ""
    while words and words[0].startswith("-"):
        option = words.pop(0)[1:]
        if option.startswith("u"):
            users = option[1:] or (words.pop(0) if words else "")
        else:
            flags += option
    if set(flags) - set("fxno") or len(words) > 1 or not (words or users):
        raise Unplayable(f"{' '.join(arguments)} is not played")
    command = session.first.command
    shown = " ".join(command) if "f" in flags else posixpath.basename(command[0])
    try:
        pattern = re.compile(words[0] if words else "")
    except re.error:
        raise Unplayable(f"{arguments[0]}: {words[0]} is not a pattern that is played") from None
    fits = pattern.fullmatch(shown) if "x" in flags else pattern.search(shown)
    if not fits or (users and not {str(session.user), "" if session.user else _ROOT} & set(users.split(","))):
        yield from ()
        return 1
    yield Output(f"{_FIRST}\n".encode())
    return 0


def send_signal(arguments: Sequence[str], session: Session) -> Run:
    """``kill``: TERM, or the signal that is named, to the container's own process."""
    if session.first is None:
        raise Unplayable(f"{arguments[0]} is not played here")
    words = list(arguments[1:])
    named = "TERM"
    if words[:1] == ["-s"] and len(words) > 1:
        named, words = words[1], words[2:]
    elif words and words[0].startswith("-"):
        named = words.pop(0)[1:]
    signal = signal_name(named)
    if signal is None and named != "0":
        yield error(f"{arguments[0]}: invalid signal '{named}'")
        return 1
    if not words:
        yield error(f"{arguments[0]}: you need to specify whom to kill")
        return 1
    code = 0
    for number in words:
        if number != str(_FIRST):
            yield error(f"{arguments[0]}: can't kill pid {number}: No such process")
            code = 1
        elif signal is not None:
            session.first.signal(signal)
    return code


def signal_name(named: str) -> str | None:
    """A signal by its number or its name, such as 15, TERM and SIGTERM; None for one that there is not."""
    name = named.upper().removeprefix("SIG")
    return name if name in SIGNALS else next((known for known in SIGNALS if str(SIGNALS[known]) == named), None)
