"""Shell commands about users, processes and the system, which behave like those of busybox.

A program sees only itself and the container's first process, which has the process ID 1.
"""

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from memkube.controllers.kubelet.programs.input import options
from memkube.controllers.kubelet.programs.program import SIGNALS, NotSimulated, Output, Run, Session, error

_ROOT: Final = "root"
_FIRST: Final = 1
_OWN: Final = 7
"""Process ID that ``ps`` prints for its own process."""
_NO_TIME: Final = "0:00"
"""CPU time that ``ps`` prints for every process."""


def identity(arguments: Sequence[str], session: Session) -> Run:
    """Run ``id`` with the options -u, -g, -G and -n. Only root has a name: the users of the image are not known."""
    given, words = options(arguments, "ugGn")
    kinds = given.keys() - {"n"}
    if words or len(kinds) > 1 or ("n" in given and not kinds):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    groups = sorted(set(session.groups))
    numbers = {"u": [session.user], "g": session.groups[:1], "G": groups}.get("".join(kinds))
    if numbers is None:
        listed = ",".join(map(_named, groups))
        text = f"uid={_named(session.user)} gid={_named(session.groups[0])} groups={listed}"
    elif "n" in given and any(numbers):
        yield error(f"{arguments[0]}: unknown ID {next(filter(None, numbers))}")
        return 1
    else:
        text = " ".join(_ROOT if "n" in given else str(number) for number in numbers)
    yield Output(f"{text}\n".encode())
    return 0


def _named(number: int) -> str:
    return str(number) if number else f"0({_ROOT})"


def system_name(arguments: Sequence[str], session: Session) -> Run:
    """Run ``uname``. Release and version are ``simulated``, as in the Node's status."""
    given, words = options(arguments, "asnrvm")
    if words:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    parts = {"s": "Linux", "n": session.hostname, "r": "simulated", "v": "simulated", "m": "x86_64"}
    chosen = parts if "a" in given else {letter: parts[letter] for letter in parts if letter in (given or "s")}
    text = " ".join(chosen.values()) + (" GNU/Linux" if "a" in given else "")
    yield Output(f"{text}\n".encode())
    return 0


def kernel_parameters(arguments: Sequence[str], session: Session) -> Run:
    """Run ``sysctl``: show kernel parameters that the pod sets. Other parameters and changes are not simulated."""
    given, names = options(arguments, "n")
    paths = {name: f"/proc/sys/{name if '/' in name else name.replace('.', '/')}" for name in names}
    if not names or not all(session.files.is_file(path) for path in paths.values()):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    for name, path in paths.items():
        value = session.files.read(path)
        yield Output(value if "n" in given else f"{name.replace('/', '.')} = ".encode() + value)
    return 0


def user_name(arguments: Sequence[str], session: Session) -> Run:
    """Run ``whoami``. Only root has a name: the users of the image are not known."""
    if session.user:
        yield error(f"{arguments[0]}: unknown uid {session.user}")
        return 1
    yield Output(f"{_ROOT}\n".encode())
    return 0


def find_processes(arguments: Sequence[str], session: Session) -> Run:
    """Run ``pgrep`` with the options -f, -x, -n, -o and -u."""
    if session.first_process is None:
        raise NotSimulated(f"{arguments[0]} outside of exec sessions is not simulated")
    words, flags, users = list(arguments[1:]), "", ""
    while words and words[0].startswith("-"):
        option = words.pop(0)[1:]
        if option.startswith("u"):
            users = option[1:] or (words.pop(0) if words else "")
        else:
            flags += option
    if set(flags) - set("fxno") or len(words) > 1 or not (words or users):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    command = session.first_process.command
    shown = " ".join(command) if "f" in flags else posixpath.basename(command[0])
    try:
        pattern = re.compile(words[0] if words else "")
    except re.error:
        raise NotSimulated(f"{arguments[0]} with the pattern {words[0]} is not simulated") from None
    fits = pattern.fullmatch(shown) if "x" in flags else pattern.search(shown)
    if not fits or (users and not {str(session.user), "" if session.user else _ROOT} & set(users.split(","))):
        yield from ()
        return 1
    yield Output(f"{_FIRST}\n".encode())
    return 0


def list_processes(arguments: Sequence[str], session: Session) -> Run:
    """Run ``ps``, which lists the container's first process and itself. It raises NotSimulated for the option -o."""
    if session.first_process is None or not all(re.fullmatch("-?[aAdeflux]+", word) for word in arguments[1:]):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    user = str(session.user) if session.user else _ROOT
    yield Output(b"PID   USER     TIME  COMMAND\n")
    for number, command in ((_FIRST, session.first_process.command), (_OWN, arguments)):
        yield Output(f"{number:5} {user:8.8} {_NO_TIME:>5} {' '.join(command)}\n".encode())
    return 0


def send_signal(arguments: Sequence[str], session: Session) -> Run:
    """Run ``kill``: send TERM or the given signal to the container's first process."""
    if session.first_process is None:
        raise NotSimulated(f"{arguments[0]} outside of exec sessions is not simulated")
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
            session.first_process.signal(signal)
    return code


def signal_name(named: str) -> str | None:
    """Return the name of a signal that is written as 15, TERM or SIGTERM, or None if it is unknown."""
    name = named.upper().removeprefix("SIG")
    return name if name in SIGNALS else next((known for known in SIGNALS if str(SIGNALS[known]) == named), None)
