"""Plays commands by their names, shells among them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memkube.controllers.kubelet.programs.commands import COMMANDS
from memkube.controllers.kubelet.programs.marks import Marks
from memkube.controllers.kubelet.programs.parser import parse_script
from memkube.controllers.kubelet.programs.program import (
    Interrupted,
    Mark,
    Output,
    ReadLine,
    Run,
    Serve,
    Session,
    Steps,
    Unplayable,
    error,
)
from memkube.controllers.kubelet.programs.shell import Shell

_SYNTAX: Final = 2
NOT_FOUND: Final = 127
_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})


def play(words: Sequence[str], session: Session) -> Run:
    """Plays a command with its arguments.

    What is not played makes a container's own process a server, and is an error to anybody else.
    """
    try:
        return (yield from _play(words, session))
    except Unplayable as problem:
        if session.runs_on:
            yield Serve(str(problem))
        yield error(f"sh: {problem}")
        return _SYNTAX


def play_from(mark: Mark, session: Session) -> Run:
    """Plays a container's own shell on from where it marked that it stands."""
    session.traps.actions.update(mark.actions)
    session.traps.pending.extend(mark.pending)
    inner = replace(session, environment=dict(mark.environment), variables=dict(mark.variables), marks=None)
    inner.arguments, inner.working_directory = mark.arguments, mark.working_directory
    try:
        marks = Marks(mark.script, session.marks, mark)
        return (yield from Shell(inner, play).run_on(parse_script(mark.script), marks, mark))
    except Unplayable as problem:
        yield Serve(str(problem))
        yield error(f"sh: {problem}")
        return _SYNTAX


def is_played(words: Sequence[str]) -> bool:
    """Whether there is a program of that name."""
    name = _base_name(words[0]) if words else ""
    return name in _SHELLS or name in COMMANDS


def _play(words: Sequence[str], session: Session) -> Run:
    name = _base_name(words[0])
    if name in _SHELLS:
        return (yield from _shell(words, session))
    command = COMMANDS.get(name)
    if command is not None:
        return (yield from command(words, session))
    if session.runs_on:
        raise Unplayable(f"{words[0]} is not played")
    yield error(f"sh: {words[0]}: not found")
    return NOT_FOUND


def _base_name(path: str) -> str:
    return path.removeprefix("/usr").removeprefix("/bin/").removeprefix("/sbin/")


def _shell(words: Sequence[str], session: Session) -> Run:
    options, flags = list(words[1:]), ""
    while options and options[0].startswith("-") and not flags.endswith("c"):
        flags += options.pop(0)[1:]
    if set(flags) - set("celi"):
        raise Unplayable(f"{words[0]} -{flags} is not played")
    inner = replace(session, environment=dict(session.environment), variables={}, marks=None)
    if not options and "c" not in flags:
        return (yield from _interactive(inner))
    script = yield from _script(options[0] if options else "", inner, is_text="c" in flags)
    if script is None:
        return NOT_FOUND if "c" not in flags else _SYNTAX
    inner.arguments = tuple(options[1:]) or ("sh",) if "c" in flags else tuple(options)
    script = f"set -e;{script}" if "e" in flags else script
    return (yield from Shell(inner, play).run(parse_script(script), Marks(script, session.marks)))


def _script(named: str, session: Session, *, is_text: bool) -> Steps[str | None]:
    """A script by itself, or by the name of its file."""
    if is_text:
        return named
    try:
        return session.files.read(session.path(named)).decode(errors="replace")
    except OSError:
        if session.runs_on:
            raise Unplayable(f"{named} is a file of the image, which is not there to be played") from None
        yield error(f"sh: can't open '{named}': No such file or directory")
        return None


def _interactive(session: Session) -> Run:
    """Reads commands line by line; with a terminal it shows a prompt and what is typed."""
    shell = Shell(session, play)
    while True:
        if session.terminal:
            yield Output(f"{session.working_directory} # ".encode())
        try:
            line = yield ReadLine()
        except Interrupted:
            shell.interrupt()
            continue
        if not line:
            return shell.status
        try:
            yield from shell.run(parse_script(line.decode(errors="replace")))
        except Unplayable as problem:
            yield error(f"sh: {problem}")
            shell.interrupt(_SYNTAX)
        except Interrupted:
            shell.interrupt()
        if shell.has_exited:
            return shell.status
