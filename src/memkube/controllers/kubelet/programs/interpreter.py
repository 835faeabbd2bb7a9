"""Plays shell scripts."""

import math
from collections.abc import Sequence as Words
from dataclasses import replace
from typing import Final

from memkube.controllers.kubelet.programs.commands import COMMANDS
from memkube.controllers.kubelet.programs.expansion import Expansion, Steps
from memkube.controllers.kubelet.programs.parser import parse_script
from memkube.controllers.kubelet.programs.redirection import Destination, redirected
from memkube.controllers.kubelet.programs.session import Session
from memkube.controllers.kubelet.programs.steps import Interrupted, Output, OutputStream, Pause, ReadLine, Run, error
from memkube.controllers.kubelet.programs.syntax import (
    Command,
    For,
    If,
    Loop,
    Negation,
    Redirection,
    Sequence,
    Simple,
)
from memkube.controllers.kubelet.programs.words import Unplayable

NOT_FOUND: Final = 127
_SYNTAX: Final = 2
_INTERRUPTED: Final = 130
_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})
_DEEPEST: Final = 50
_ROUNDS_WITHOUT_PAUSE: Final = 100
_BUSY_PAUSE: Final = 1.0


class _Exit(Exception):
    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


class _LeaveLoop(Exception):
    def __init__(self, *, again: bool) -> None:
        super().__init__()
        self.again = again


class Shell:
    """Runs scripts in one session, whose variables they share."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._expansion = Expansion(session, self._sequence, lambda: self._status)
        self._status = 0
        self._depth = 0
        self.has_exited = False

    @property
    def status(self) -> int:
        """How the last command ended."""
        return self._status

    def run(self, script: Sequence) -> Run:
        """Runs a script to its end; the code is that of ``exit`` or of the last command."""
        try:
            yield from self._sequence(script)
        except _Exit as ended:
            self._status = ended.code
            self.has_exited = True
        except _LeaveLoop:
            pass
        except Unplayable as problem:
            yield error(f"sh: {problem}")
            self._status = _SYNTAX
        return self._status

    def interrupt(self) -> None:
        """Notes that the last command was interrupted."""
        self._status, self._depth = _INTERRUPTED, 0

    def _sequence(self, sequence: Sequence) -> Run:
        for connector, command in sequence.items:
            if connector == ";" or (connector == "&&") == (self._status == 0):
                self._status = yield from self._command(command)
        return self._status

    def _command(self, command: Command) -> Run:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unplayable("commands are nested too deeply")
        try:
            match command:
                case Simple():
                    return (yield from self._simple(command))
                case Sequence():
                    return (yield from self._sequence(command))
                case Negation():
                    return 0 if (yield from self._command(command.command)) else 1
                case Loop():
                    return (yield from self._loop(command))
                case For():
                    return (yield from self._for(command))
                case If():
                    return (yield from self._if(command))
        finally:
            self._depth -= 1

    def _loop(self, loop: Loop) -> Run:
        status = 0
        rounds = 0
        while ((yield from self._sequence(loop.condition)) == 0) != loop.until:
            try:
                status = yield from self._sequence(loop.body)
            except _LeaveLoop as leaving:
                if not leaving.again:
                    break
            rounds += 1
            # A loop that never waits would never let go of the clock.
            if rounds % _ROUNDS_WITHOUT_PAUSE == 0:
                yield Pause(_BUSY_PAUSE)
        return status

    def _for(self, loop: For) -> Run:
        status = 0
        for value in (yield from self._expansion.fields(loop.words)):
            self._session.variables[loop.name] = value
            try:
                status = yield from self._sequence(loop.body)
            except _LeaveLoop as leaving:
                if not leaving.again:
                    break
        return status

    def _if(self, command: If) -> Run:
        for condition, body in command.branches:
            if (yield from self._sequence(condition)) == 0:
                return (yield from self._sequence(body))
        if command.otherwise is not None:
            return (yield from self._sequence(command.otherwise))
        return 0

    def _simple(self, command: Simple) -> Run:
        assigned = {}
        for name, word in command.assignments:
            assigned[name] = yield from self._expansion.joined(word)
        words = yield from self._expansion.fields(command.words)
        destinations = yield from self._destinations(command.redirections)
        if not words:
            for name, value in assigned.items():
                self._assign(name, value)
            return 0
        run = self._called(words, assigned)
        return (yield from redirected(run, destinations, self._session.files) if destinations else run)

    def _destinations(self, redirections: tuple[Redirection, ...]) -> Steps[dict[OutputStream, Destination]]:
        destinations: dict[OutputStream, Destination] = {}
        for redirection in redirections:
            name = yield from self._expansion.joined(redirection.target)
            destinations[redirection.stream] = Destination.named(
                name, appends=redirection.appends, duplicates=redirection.duplicates
            )
        return destinations

    def _assign(self, name: str, value: str) -> None:
        if name in self._session.environment:
            self._session.environment[name] = value
        else:
            self._session.variables[name] = value

    def _called(self, words: list[str], assigned: dict[str, str]) -> Run:
        match words:
            case ["exit", *rest]:
                raise _Exit(int(rest[0]) % 256 if rest and rest[0].isdigit() else self._status)
            case ["break" | "continue" as name, *_]:
                raise _LeaveLoop(again=name == "continue")
            case ["export", *rest]:
                self._export(rest)
                return 0
            case ["read", *names]:
                return (yield from self._read(names))
            case ["exec", _, *_]:
                code = yield from self._called(words[1:], assigned)
                raise _Exit(code)
        session = self._session
        inner = replace(session, environment={**session.environment, **assigned}) if assigned else session
        return (yield from play(words, inner))

    def _export(self, words: list[str]) -> None:
        for word in words:
            name, is_set, value = word.partition("=")
            known = self._session.variables.pop(name, self._session.environment.get(name, ""))
            self._session.environment[name] = value if is_set else known

    def _read(self, names: list[str]) -> Run:
        line = yield ReadLine()
        fields = (line or b"").decode(errors="replace").split(None, max(len(names) - 1, 0))
        for index, name in enumerate(names or ["REPLY"]):
            self._assign(name, fields[index].rstrip("\n") if index < len(fields) else "")
        return 0 if line else 1


def play(words: Words[str], session: Session) -> Run:
    """Plays a command with its arguments.

    What is not played runs for ever as a container's own process, and is not found by anybody else.
    """
    name = _base_name(words[0])
    if name in _SHELLS:
        return (yield from _shell(words, session))
    command = COMMANDS.get(name)
    if command is not None:
        return (yield from command(words, session))
    if session.runs_on:
        yield Pause(math.inf)
    yield error(f"sh: {words[0]}: not found")
    return NOT_FOUND


def is_played(words: Words[str]) -> bool:
    """Whether there is a program of that name."""
    name = _base_name(words[0]) if words else ""
    return name in _SHELLS or name in COMMANDS


def _base_name(path: str) -> str:
    return path.removeprefix("/usr").removeprefix("/bin/").removeprefix("/sbin/")


def _shell(words: Words[str], session: Session) -> Run:
    options = list(words[1:])
    script: str | None = None
    while options and options[0].startswith("-"):
        option = options.pop(0)
        if option.endswith("c") and options:
            script = options.pop(0)
            break
    inner = replace(session, environment=dict(session.environment), variables={})
    if script is None and not options:
        return (yield from _interactive(inner))
    try:
        if script is None:
            script = inner.files.read(options[0]).decode(errors="replace")
        parsed = parse_script(script)
    except (FileNotFoundError, IsADirectoryError):
        yield error(f"sh: can't open '{options[0]}': No such file or directory")
        return _SYNTAX
    except Unplayable as problem:
        if session.runs_on:
            yield Pause(math.inf)
        yield error(f"sh: {problem}")
        return _SYNTAX
    return (yield from Shell(inner).run(parsed))


def _interactive(session: Session) -> Run:
    """Reads commands line by line; with a terminal it shows a prompt and what is typed."""
    shell = Shell(session)
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
            parsed = parse_script(line.decode(errors="replace"))
        except Unplayable as problem:
            yield error(f"sh: {problem}")
            continue
        try:
            yield from shell.run(parsed)
        except Interrupted:
            shell.interrupt()
        if shell.has_exited:
            return shell.status
