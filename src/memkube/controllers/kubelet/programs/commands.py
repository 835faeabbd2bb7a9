"""The commands that are played, as they behave in the busybox image."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from memkube.controllers.kubelet.programs.escapes import formatted, unescaped
from memkube.controllers.kubelet.programs.file_commands import cat, list_files, remove, test, touch
from memkube.controllers.kubelet.programs.session import Session
from memkube.controllers.kubelet.programs.steps import Output, Pause, Run, error

Play: TypeAlias = Callable[[Sequence[str], Session], Run]
"""Plays a command; the first argument is its name."""

_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([smhd]?)")
_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_DATE: Final = "%a %b %e %H:%M:%S UTC %Y"


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
    yield Pause(seconds)
    return 0


def _echo(arguments: Sequence[str], session: Session) -> Run:
    words = list(arguments[1:])
    options = ""
    while words and re.fullmatch(r"-[neE]+", words[0]):
        options += words.pop(0)[1:]
    text = " ".join(words)
    if "e" in options:
        text, cut = unescaped(text)
        options += "n" if cut else ""
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
        if argument.startswith("+"):
            layout = argument[1:].replace("%s", str(int(session.now().timestamp())))
        elif argument != "-u":
            yield error(f"date: invalid date '{argument}'")
            return 1
    yield Output((session.now().strftime(layout) + "\n").encode())
    return 0


def _env(arguments: Sequence[str], session: Session) -> Run:
    if len(arguments) > 1:
        yield error("env: commands are not played here")
        return 125
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
    yield Output(f"{session.hostname}\n".encode())
    return 0


def _pwd(arguments: Sequence[str], session: Session) -> Run:
    yield Output(f"{session.working_directory}\n".encode())
    return 0


COMMANDS: Final[Mapping[str, Play]] = MappingProxyType(
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
        "hostname": _hostname,
        "pwd": _pwd,
        "cat": cat,
        "ls": list_files,
        "touch": touch,
        "rm": remove,
        "test": test,
        "[": test,
    }
)
