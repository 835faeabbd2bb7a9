"""The simulated commands, which behave like those of busybox. Options that are not simulated raise NotSimulated."""

import math
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from memkube.controllers.kubelet.programs.agnhost import agnhost
from memkube.controllers.kubelet.programs.archives import archive
from memkube.controllers.kubelet.programs.awk import awk
from memkube.controllers.kubelet.programs.dns_commands import dig, get_entries
from memkube.controllers.kubelet.programs.encoding_commands import base64, checksum, compress, show_bytes
from memkube.controllers.kubelet.programs.escapes import formatted, unescaped
from memkube.controllers.kubelet.programs.expressions import evaluate
from memkube.controllers.kubelet.programs.file_commands import (
    copy,
    make_directory,
    move,
    remove,
    remove_directory,
    test,
    touch,
)
from memkube.controllers.kubelet.programs.head_and_tail import head, tail
from memkube.controllers.kubelet.programs.inode_commands import (
    change_mode,
    disk_usage,
    find,
    free_space,
    make_link,
    read_link,
    show_mounts,
    show_status,
)
from memkube.controllers.kubelet.programs.listing import list_files
from memkube.controllers.kubelet.programs.network_commands import curl, look_up, net_cat, wget
from memkube.controllers.kubelet.programs.patterns import grep
from memkube.controllers.kubelet.programs.process_commands import (
    find_processes,
    identity,
    kernel_parameters,
    list_processes,
    send_signal,
    system_name,
    user_name,
)
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Pause, Run, Session, error
from memkube.controllers.kubelet.programs.text_commands import (
    cat,
    cut,
    reverse,
    sort,
    tee,
    translate,
    unique,
)
from memkube.controllers.kubelet.programs.text_commands import count as word_count

RunCommand: TypeAlias = Callable[[Sequence[str], Session], Run]
"""Function that runs a command in a session. The first argument is the name of the command."""

_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([smhd]?)")
_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_DATE: Final = "%a %b %e %H:%M:%S UTC %Y"
_LINES_AT_ONCE: Final = 500
_MINUTES_PER_DAY: Final = 24 * 60


def _true(arguments: Sequence[str], session: Session) -> Run:
    yield from ()
    return 0


def _false(arguments: Sequence[str], session: Session) -> Run:
    yield from ()
    return 1


def _sleep(arguments: Sequence[str], session: Session) -> Run:
    seconds = 0.0
    if len(arguments) == 1:
        yield error("sleep: missing operand")
        return 1
    for argument in arguments[1:]:
        found = _DURATION.fullmatch(argument)
        if found:
            seconds += float(found[1]) * _UNITS[found[2]]
        elif argument in ("inf", "infinity"):
            seconds = math.inf
        else:
            yield error(f"sleep: invalid number '{argument}'")
            return 1
    if seconds:
        session.budget.renew()
    yield Pause(seconds)
    return 0


def _echo(arguments: Sequence[str], session: Session) -> Run:
    words = list(arguments[1:])
    options = ""
    while words and re.fullmatch(r"-[neE]+", words[0]):
        options += words.pop(0)[1:]
    text = " ".join(words)
    if "e" in options:
        text, cut_off = unescaped(text)
        options += "n" if cut_off else ""
    yield Output((text + ("" if "n" in options else "\n")).encode())
    return 0


def _printf(arguments: Sequence[str], session: Session) -> Run:
    if len(arguments) == 1:
        yield error("printf: usage: printf FORMAT [ARGUMENT...]")
        return 1
    try:
        yield Output(formatted(arguments[1], arguments[2:]).encode())
    except ValueError as problem:
        yield error(f"printf: {problem}")
        return 1
    return 0


def _date(arguments: Sequence[str], session: Session) -> Run:
    layout = _DATE
    for argument in arguments[1:]:
        if argument.startswith("+") and "%N" not in argument:
            layout = argument[1:].replace("%s", str(int(session.now().timestamp())))
        elif argument in ("-Iseconds", "-I"):
            layout = "%Y-%m-%dT%H:%M:%S+00:00" if argument == "-Iseconds" else "%Y-%m-%d"
        elif argument.startswith(("-", "+")) and argument != "-u":
            raise NotSimulated(f"date {argument} is not simulated")
        elif argument != "-u":
            if argument[:1].isdigit():
                raise NotSimulated("date with a time to set is not simulated")
            yield error(f"date: invalid date '{argument}'")
            return 1
    yield Output((session.now().strftime(layout) + "\n").encode())
    return 0


def _uptime(arguments: Sequence[str], session: Session) -> Run:
    """Run ``uptime``, which prints the time since the start of the container instead of the uptime of its node."""
    if len(arguments) > 1:
        raise NotSimulated(f"uptime {arguments[1]} is not simulated")
    now = session.now()
    days, minutes = divmod(int(now.timestamp() - session.files.began) // 60, _MINUTES_PER_DAY)
    hours, minutes = divmod(minutes, 60)
    since = f"{days} day{'' if days == 1 else 's'}, " if days else ""
    since += f"{hours:2}:{minutes:02}" if hours else f"{minutes} min"
    yield Output(f" {now:%H:%M:%S} up {since},  0 users,  load average: 0.00, 0.00, 0.00\n".encode())
    return 0


def _env(arguments: Sequence[str], session: Session) -> Run:
    if len(arguments) > 1:
        raise NotSimulated("env with a command is not simulated")
    yield Output("".join(f"{name}={value}\n" for name, value in session.environment.items()).encode())
    return 0


def _printenv(arguments: Sequence[str], session: Session) -> Run:
    if len(arguments) == 1:
        return (yield from _env(arguments, session))
    code = 0
    for name in arguments[1:]:
        if name in session.environment:
            yield Output(f"{session.environment[name]}\n".encode())
        else:
            code = 1
    return code


def _hostname(arguments: Sequence[str], session: Session) -> Run:
    if len(arguments) > 1:
        raise NotSimulated(f"hostname {arguments[1]} is not simulated")
    yield Output(f"{session.hostname}\n".encode())
    return 0


def _pwd(arguments: Sequence[str], session: Session) -> Run:
    yield Output(f"{session.working_directory}\n".encode())
    return 0


def _base_name(arguments: Sequence[str], session: Session) -> Run:
    if len(arguments) not in (2, 3):
        raise NotSimulated("basename with more than a path and a suffix is not simulated")
    yield Output((posixpath.basename(arguments[1].rstrip("/")).removesuffix("".join(arguments[2:])) + "\n").encode())
    return 0


def _directory_name(arguments: Sequence[str], session: Session) -> Run:
    if len(arguments) != 2:
        raise NotSimulated("dirname without exactly one path is not simulated")
    yield Output(((posixpath.dirname(arguments[1].rstrip("/")) or ".") + "\n").encode())
    return 0


def _seq(arguments: Sequence[str], session: Session) -> Run:
    words = list(arguments[1:])
    separator = b"\n"
    if words[:1] == ["-s"] and len(words) > 1:
        separator, words = words[1].encode(), words[2:]
    if not 1 <= len(words) <= 3 or not all(re.fullmatch("-?[0-9]{1,15}", word) for word in words):
        raise NotSimulated(f"seq {' '.join(words)} is not simulated")
    numbers = [int(word) for word in words]
    first, step, last = (1, 1, *numbers) if len(numbers) == 1 else (numbers[0], ([*numbers[1:-1], 1])[0], numbers[-1])
    if not step:
        raise NotSimulated("seq with a step of 0 is not simulated")
    values = range(first, last + (1 if step > 0 else -1), step)
    for start in range(0, len(values), _LINES_AT_ONCE):
        piece = separator.join(b"%d" % value for value in values[start : start + _LINES_AT_ONCE])
        yield Output(piece + (separator if start + _LINES_AT_ONCE < len(values) else b"\n"))
        yield from session.budget.spend(_LINES_AT_ONCE)
    return 0


def _yes(arguments: Sequence[str], session: Session) -> Run:
    line = (" ".join(arguments[1:]) or "y").encode() + b"\n"
    while True:
        yield Output(line * _LINES_AT_ONCE if len(line) <= _LINES_AT_ONCE else line)
        yield from session.budget.spend(_LINES_AT_ONCE)


COMMANDS: Final[Mapping[str, RunCommand]] = MappingProxyType(
    {
        "true": _true,
        ":": _true,
        "false": _false,
        "sleep": _sleep,
        "echo": _echo,
        "printf": _printf,
        "date": _date,
        "env": _env,
        "printenv": _printenv,
        "hexdump": show_bytes,
        "hostname": _hostname,
        "pwd": _pwd,
        "basename": _base_name,
        "dirname": _directory_name,
        "seq": _seq,
        "yes": _yes,
        "/agnhost": agnhost,
        "/agnhost-2": agnhost,
        "agnhost": agnhost,
        "awk": awk,
        "base64": base64,
        "cat": cat,
        "chmod": change_mode,
        "cp": copy,
        "curl": curl,
        "cut": cut,
        "df": free_space,
        "dig": dig,
        "du": disk_usage,
        "egrep": grep,
        "expr": evaluate,
        "fgrep": grep,
        "find": find,
        "getent": get_entries,
        "grep": grep,
        "gunzip": compress,
        "gzip": compress,
        "head": head,
        "id": identity,
        "kill": send_signal,
        "ln": make_link,
        "ls": list_files,
        "md5sum": checksum,
        "mkdir": make_directory,
        "mount": show_mounts,
        "mv": move,
        "nc": net_cat,
        "nslookup": look_up,
        "pgrep": find_processes,
        "ps": list_processes,
        "readlink": read_link,
        "realpath": read_link,
        "rev": reverse,
        "rm": remove,
        "rmdir": remove_directory,
        "sha1sum": checksum,
        "sha256sum": checksum,
        "sha512sum": checksum,
        "sort": sort,
        "stat": show_status,
        "sysctl": kernel_parameters,
        "tail": tail,
        "tar": archive,
        "tee": tee,
        "test": test,
        "[": test,
        "[[": test,
        "touch": touch,
        "tr": translate,
        "uname": system_name,
        "uniq": unique,
        "uptime": _uptime,
        "wc": word_count,
        "wget": wget,
        "whoami": user_name,
        "zcat": compress,
    }
)
