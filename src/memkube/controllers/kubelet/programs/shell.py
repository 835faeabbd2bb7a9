"""Runs parsed shell scripts (POSIX.1-2024, XCU 2)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from shlex import quote
from typing import Final, TypeAlias

from memkube.controllers.kubelet.programs.checkpoints import Checkpoints
from memkube.controllers.kubelet.programs.expansion import Expansion, ParameterNotSet
from memkube.controllers.kubelet.programs.input import read_variables
from memkube.controllers.kubelet.programs.parser import parse_script
from memkube.controllers.kubelet.programs.process_commands import signal_name
from memkube.controllers.kubelet.programs.program import (
    Checkpoint,
    NotSimulated,
    Run,
    Session,
    Steps,
    Traps,
    error,
)
from memkube.controllers.kubelet.programs.streams import named_file, named_stream, piped, redirected, unchanged
from memkube.controllers.kubelet.programs.syntax import (
    Case,
    Command,
    For,
    If,
    Loop,
    Negation,
    Pipeline,
    Redirected,
    Sequence,
    Simple,
    Subshell,
)

_SYNTAX: Final = 2
_INTERRUPTED: Final = 130
_BUILTINS: Final = frozenset({"exit", "break", "continue", "export", "read", "exec", "cd", "set", "trap", "unset"})
_DEEPEST: Final = 50
_WORK_OF_A_COMMAND: Final = 10


class _Exit(Exception):
    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


class _LeaveLoop(Exception):
    def __init__(self, *, again: bool) -> None:
        super().__init__()
        self.again = again


RunCommand: TypeAlias = Callable[[list[str], Session], Run]
"""Function that runs the words of a command line as a command."""


class Shell:
    """A shell that runs parsed scripts with the variables of one session.

    The function `play` runs the commands that are not shell builtins.
    """

    def __init__(self, session: Session, play: RunCommand) -> None:
        self._session = session
        self._play = play
        self._expansion = Expansion(session, self._substituted, lambda: self._status)
        self._status = 0
        self._depth = 0
        self._ends_at_failure = False
        self._traces = False
        self._tested = 0
        self._checkpoints = Checkpoints()
        self.has_exited = False

    @property
    def status(self) -> int:
        """Exit status of the shell's last command."""
        return self._status

    def run(self, script: Sequence, checkpoints: Checkpoints | None = None) -> Run:
        """Run a parsed script. Returns the exit status of ``exit`` or of the last command.

        `checkpoints` makes checkpoints while the script runs; if it is None, none are made. Raises NotSimulated if a
        command is not simulated.
        """
        self._checkpoints = checkpoints = checkpoints or Checkpoints()
        try:
            yield from self._sequence(script, checkpoints)
        except _Exit as ended:
            self._status = ended.code
            self.has_exited = True
        except ParameterNotSet as problem:
            yield self._session.shell_error(str(problem))
            self._status = _SYNTAX
            self.has_exited = not self._session.terminal
        except _LeaveLoop:
            pass
        return self._status

    def resume(self, script: Sequence, checkpoints: Checkpoints, checkpoint: Checkpoint) -> Run:
        """Continue a parsed script from `checkpoint`.

        `checkpoints` must have been created with this checkpoint, and makes the later ones. Returns the exit status of
        ``exit`` or of the last command. Raises NotSimulated if a command is not simulated.
        """
        self._status, self._ends_at_failure = checkpoint.status, checkpoint.ends_at_failure
        self._traces = checkpoint.traces
        return self.run(script, checkpoints)

    def interrupt(self, status: int = _INTERRUPTED) -> None:
        """Prepare the shell for the next command after a command was interrupted, whose exit status is `status`."""
        self._status, self._depth, self._tested = status, 0, 0

    def _sequence(self, sequence: Sequence, checkpoints: Checkpoints | None = None) -> Run:
        items = sequence.items
        first = checkpoints.first if checkpoints is not None else 0
        for index, (connector, command) in enumerate(items[first:], start=first):
            if index != first and connector != ";" and (connector == "&&") != (self._status == 0):
                continue
            if checkpoints is not None:
                checkpoints.reach(index, command)
            is_tested = index + 1 < len(items) and items[index + 1][0] != ";"
            self._status = yield from self._tried(self._command(command), is_tested=is_tested)
            is_tested = is_tested or bool(self._tested) or isinstance(command, Negation)
            if self._status and self._ends_at_failure and not is_tested:
                raise _Exit(self._status)
            if self._session.traps.pending:
                yield from self._trapped()
        return self._status

    def _command(self, command: Command) -> Run:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotSimulated("shell commands are nested too deeply to be simulated")
        yield from self._session.budget.spend(_WORK_OF_A_COMMAND)
        try:
            match command:
                case Simple():
                    return (yield from self._simple(command))
                case Redirected():
                    return (yield from self._redirected(command))
                case Pipeline(commands=commands):
                    return (yield from piped([self._inner(Sequence(((";", part),))) for part in commands]))
                case Subshell(body=body):
                    return (yield from self._inner(body))
                case Sequence():
                    return (yield from self._sequence(command))
                case Negation():
                    return 0 if (yield from self._test(Sequence(((";", command.command),)))) else 1
                case Loop():
                    return (yield from self._loop(command))
                case For():
                    return (yield from self._for(command))
                case If():
                    return (yield from self._if(command))
                case Case():
                    return (yield from self._case(command))
        finally:
            self._depth -= 1

    def _inner(self, script: Sequence) -> Run:
        """Run a script in a subshell. Its changes of variables do not affect this shell."""
        session = self._session
        copied = replace(session, environment=session.environment.copy(), variables=dict(session.variables))
        inner = Shell(replace(copied, traps=Traps()), self._play)
        inner.interrupt(self._status)
        inner._depth, inner._ends_at_failure, inner._traces = self._depth, self._ends_at_failure, self._traces
        return inner.run(script)

    def _substituted(self, script: Sequence) -> Run:
        self._status = yield from self._inner(script)
        return self._status

    def _test(self, condition: Sequence) -> Run:
        return (yield from self._tried(self._sequence(condition), is_tested=True))

    def _tried(self, run: Run, *, is_tested: bool) -> Run:
        """Run `run`, a command of a script.

        If `is_tested` is True, as in the condition of ``if``, a failure of the command does not end the script, even
        after ``set -e``.
        """
        before = self._tested
        self._tested += is_tested
        try:
            return (yield from run)
        finally:
            self._tested = before

    def _loop(self, loop: Loop) -> Run:
        status = self._checkpoints.resumed(loop, self._session)
        while True:
            self._checkpoints.make(
                loop,
                self._session,
                self._status,
                status,
                ends_at_failure=self._ends_at_failure,
                traces=self._traces,
            )
            if ((yield from self._test(loop.condition)) == 0) == loop.until:
                return status
            try:
                status = yield from self._sequence(loop.body)
            except _LeaveLoop as leaving:
                if not leaving.again:
                    return status

    def _for(self, loop: For) -> Run:
        status = 0
        for value in (yield from self._expansion.fields(loop.words)):
            self._session.assign(loop.name, value)
            try:
                status = yield from self._sequence(loop.body)
            except _LeaveLoop as leaving:
                if not leaving.again:
                    break
        return status

    def _if(self, command: If) -> Run:
        for condition, body in command.branches:
            if (yield from self._test(condition)) == 0:
                return (yield from self._sequence(body))
        if command.otherwise is not None:
            return (yield from self._sequence(command.otherwise))
        return 0

    def _case(self, command: Case) -> Run:
        text = yield from self._expansion.joined(command.word)
        for patterns, body in command.branches:
            for word in patterns:
                if fnmatchcase(text, (yield from self._expansion.pattern(word))):
                    return (yield from self._sequence(body))
        return 0

    def _redirected(self, command: Redirected) -> Run:
        session, destinations = self._session, unchanged()
        if isinstance(command.command, Simple):
            session.line = command.command.line
        source: bytes | None = None
        for redirection in command.redirections:
            name = yield from self._expansion.joined(redirection.target)
            path = session.path(name)
            match redirection.stream:
                case "stdin" if redirection.is_text:
                    source = name.encode()
                case "stdin":
                    try:
                        source = session.files.read(path)
                    except OSError:
                        yield session.shell_error(f"can't open {name}: no such file")
                        return 1
                case "both":
                    destinations["stdout"] = named_file(path, destinations, appends=redirection.appends)
                    destinations["stderr"] = destinations["stdout"]
                case stream if redirection.duplicates:
                    destinations[stream] = named_stream(name, destinations)
                case stream:
                    destinations[stream] = named_file(path, destinations, appends=redirection.appends)
        return (yield from redirected(self._command(command.command), destinations, source, session))

    def _simple(self, command: Simple) -> Run:
        assigned = {}
        self._session.line = command.line
        self._status, before = 0, self._status
        for name, word in command.assignments:
            assigned[name] = yield from self._expansion.joined(word)
        if not command.words:
            yield from self._trace(assigned, [])
            for name, value in assigned.items():
                self._session.assign(name, value)
            return self._status
        self._status = before
        words = yield from self._expansion.fields(command.words)
        yield from self._trace(assigned, words)
        if not words:
            return self._status
        if words[0] in _BUILTINS:
            return (yield from self._builtin(words, assigned))
        return (yield from self._run_program(words, assigned, Traps()))

    def _trace(self, assigned: Mapping[str, str], words: list[str]) -> Steps[None]:
        """After ``set -x``, print a simple command to standard error: its assignments and its words."""
        if self._traces and (assigned or words):
            shown = [f"{name}={quote(value) if value else ''}" for name, value in assigned.items()]
            yield error(" ".join(["+", *shown, *map(quote, words)]))

    def _run_program(self, words: list[str], assigned: dict[str, str], traps: Traps) -> Run:
        session = self._session
        inner = replace(session, environment=session.environment.copy() if assigned else session.environment)
        inner.environment.update(assigned)
        inner.traps = traps
        return (yield from self._play(words, inner))

    def _builtin(self, words: list[str], assigned: dict[str, str]) -> Run:
        match words:
            case ["exit", *rest]:
                raise _Exit(int(rest[0]) % 256 if rest and rest[0].isdigit() else self._status)
            case ["break" | "continue"]:
                raise _LeaveLoop(again=words[0] == "continue")
            case ["export", *names]:
                self._session.export(names)
                return 0
            case ["unset", *names]:
                for name in names:
                    self._session.variables.pop(name, None)
                    self._session.environment.pop(name, None)
                return 0
            case ["read", *names]:
                return (yield from read_variables(self._session, names))
            case ["exec", _, *_]:
                raise _Exit((yield from self._run_program(words[1:], assigned, self._session.traps)))
            case ["cd", *directory] if len(directory) <= 1:
                return (yield from self._change_directory(directory[0] if directory else "/root"))
            case ["set", "-e" | "+e" as option]:
                self._ends_at_failure = option == "-e"
                return 0
            case ["set", "-x" | "+x" as option]:
                self._traces = option == "-x"
                return 0
            case ["trap", action, *signals] if all(map(signal_name, signals)):
                self._session.traps.actions.update((name, action) for name in map(signal_name, signals) if name)
                return 0
        raise NotSimulated(f"{' '.join(words)} is not simulated")

    def _trapped(self) -> Run:
        traps, status = self._session.traps, self._status
        while traps.pending:
            action = traps.actions[traps.pending.pop(0)]
            yield from self._sequence(parse_script("" if action == "-" else action))
        self._status = status
        return status

    def _change_directory(self, name: str) -> Run:
        path = self._session.path(name)
        if not self._session.files.is_directory(path):
            yield self._session.shell_error(f"can't cd to {name}: No such file or directory", "cd")
            return 1
        self._session.working_directory = path
        return 0
