"""Runs programs in containers by their names: simulated commands and shells."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memkube.controllers.kubelet.programs.checkpoints import Checkpoints
from memkube.controllers.kubelet.programs.commands import COMMANDS
from memkube.controllers.kubelet.programs.parser import parse_script
from memkube.controllers.kubelet.programs.program import (
    Checkpoint,
    Interrupted,
    NotSimulated,
    Output,
    ReadLine,
    Run,
    Serve,
    Session,
    Steps,
    error,
)
from memkube.controllers.kubelet.programs.shell import Shell
from memkube.controllers.kubelet.programs.variables import Environment

_SYNTAX: Final = 2
NOT_FOUND: Final = 127
_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})


def run_program(words: Sequence[str], session: Session) -> Run:
    """Run a program. `words` are its name and its arguments.

    If the program is not simulated and is the first process of its container, it acts as a server, which runs until a
    signal ends it. If it is another process, an error is printed.
    """
    try:
        return (yield from _play(words, session))
    except NotSimulated as problem:
        if session.becomes_server:
            yield Serve(str(problem))
        yield error(f"sh: {problem}")
        return _SYNTAX


def resume_program(checkpoint: Checkpoint, session: Session) -> Run:
    """Continue the shell of a container's first process from a checkpoint."""
    session.traps.actions.update(checkpoint.actions)
    session.traps.pending.extend(checkpoint.pending)
    environment = Environment(dict(checkpoint.environment), session.environment.shared)
    inner = replace(session, environment=environment, variables=dict(checkpoint.variables), on_checkpoint=None)
    inner.arguments, inner.working_directory = checkpoint.arguments, checkpoint.working_directory
    inner.first_line, inner.names_lines = checkpoint.first_line, checkpoint.names_lines
    try:
        checkpoints = Checkpoints(checkpoint.script, session.on_checkpoint, checkpoint)
        script = parse_script(checkpoint.script, checkpoint.first_line)
        return (yield from Shell(inner, run_program).resume(script, checkpoints, checkpoint))
    except NotSimulated as problem:
        yield Serve(str(problem))
        yield error(f"sh: {problem}")
        return _SYNTAX


def is_simulated(words: Sequence[str]) -> bool:
    """Return True if the program that a command line names is simulated."""
    name = _base_name(words[0]) if words else ""
    return name in _SHELLS or name in COMMANDS


def _play(words: Sequence[str], session: Session) -> Run:
    name = _base_name(words[0])
    if name in _SHELLS:
        return (yield from _shell(words, session))
    command = COMMANDS.get(name)
    if command is not None:
        return (yield from command(words, session))
    if session.becomes_server:
        raise NotSimulated(f"{words[0]} is not simulated")
    yield session.shell_error(f"{words[0]}: not found")
    return NOT_FOUND


def _base_name(path: str) -> str:
    return path.removeprefix("/usr").removeprefix("/bin/").removeprefix("/sbin/")


def _shell(words: Sequence[str], session: Session) -> Run:
    options, flags = list(words[1:]), ""
    while options and options[0].startswith("-") and not flags.endswith("c"):
        flags += options.pop(0)[1:]
    if set(flags) - set("celix"):
        raise NotSimulated(f"{words[0]} -{flags} is not simulated")
    inner = replace(session, environment=session.environment.copy(), variables={}, on_checkpoint=None, line=None)
    inner.arguments, inner.names_lines = (words[0],), False
    if not options and "c" not in flags:
        if "x" in flags:
            raise NotSimulated(f"{words[0]} -{flags} without a script is not simulated")
        return (yield from _interactive(inner))
    script = yield from _script(options[0] if options else "", inner, is_text="c" in flags)
    if script is None:
        return NOT_FOUND if "c" not in flags else _SYNTAX
    named = options[1:] if "c" in flags else options
    inner.arguments = tuple(named) or (words[0],)
    inner.first_line, inner.names_lines = int("c" not in flags), bool(named)
    script = "".join(f"set -{flag};" for flag in "ex" if flag in flags) + script
    parsed = parse_script(script, inner.first_line)
    return (yield from Shell(inner, run_program).run(parsed, Checkpoints(script, session.on_checkpoint)))


def _script(named: str, session: Session, *, is_text: bool) -> Steps[str | None]:
    """Return the script that a shell is to run: `named` itself if `is_text`, or else the contents of that file.

    Returns None after printing an error if the file does not exist. For the first process of a container, raises
    NotSimulated instead, because the file may be in the image.
    """
    if is_text:
        return named
    try:
        return session.files.read(session.path(named)).decode(errors="replace")
    except OSError:
        if session.becomes_server:
            raise NotSimulated(f"{named} is a file of the image; files of images are not available") from None
        yield session.shell_error(f"can't open '{named}': No such file or directory")
        return None


def _interactive(session: Session) -> Run:
    """Run an interactive shell, with a prompt if there is a terminal.

    A command that is not simulated prints an error, even in the first process of a container: the user sees the message
    and can continue.
    """

    def play(words: list[str], inner: Session) -> Run:
        if is_first_process and not is_simulated(words):
            yield error(f"sh: {words[0]} is not simulated")
            return NOT_FOUND
        return (yield from run_program(words, inner))

    is_first_process, session.becomes_server = session.becomes_server, False
    shell = Shell(session, play)
    number = 0
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
            number += 1
            yield from shell.run(parse_script(line.decode(errors="replace"), None if session.terminal else number))
        except NotSimulated as problem:
            yield error(f"sh: {problem}")
            shell.interrupt(_SYNTAX)
        except Interrupted:
            shell.interrupt()
        if shell.has_exited:
            return shell.status
