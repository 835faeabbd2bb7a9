"""Syntax tree of the simulated part of the POSIX shell language."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """A literal part of a shell word, which is not expanded."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter expansion: ``$NAME``, ``${NAME:-default}``, ``${NAME%suffix}`` or ``${NAME##prefix}``."""

    name: str
    quoted: bool
    operator: str = ""
    operand: str = ""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An arithmetic expansion: ``$((EXPRESSION))``."""

    expression: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Substitution:
    """A command substitution: ``$(COMMANDS)``."""

    body: "Sequence"
    quoted: bool


Part: TypeAlias = Text | Variable | Arithmetic | Substitution
Word: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Redirection:
    """A redirection: ``2>>FILE``, ``2>&1`` or ``<FILE``."""

    stream: Literal["stdin", "stdout", "stderr", "both"]
    target: Word
    appends: bool = False
    duplicates: bool = False
    """True if the target is the number of another stream, as in ``2>&1``."""
    is_text: bool = False
    """True if the target is the text to read, as in a here-document, instead of the name of a file."""


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple shell command: variable assignments, and the words of a command line."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    line: int | None = None
    """Number of the line in the script; None if the script has no line numbers, as in an interactive shell."""


@dataclass(frozen=True, slots=True)
class Redirected:
    """A shell command with redirections."""

    command: "Command"
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline: ``COMMAND | COMMAND``."""

    commands: "tuple[Command, ...]"


@dataclass(frozen=True, slots=True)
class Subshell:
    """A subshell: ``( COMMANDS )``."""

    body: "Sequence"


@dataclass(frozen=True, slots=True)
class Case:
    """A case command: ``case WORD in PATTERN) COMMANDS ;; … esac``."""

    word: Word
    branches: "tuple[tuple[tuple[Word, ...], Sequence], ...]"


@dataclass(frozen=True, slots=True)
class Loop:
    """A ``while`` or ``until`` loop."""

    condition: "Sequence"
    body: "Sequence"
    until: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """A for loop: ``for NAME in WORDS``."""

    name: str
    words: tuple[Word, ...]
    body: "Sequence"


@dataclass(frozen=True, slots=True)
class If:
    """An ``if`` command, with one branch for each ``elif``."""

    branches: "tuple[tuple[Sequence, Sequence], ...]"
    otherwise: "Sequence | None" = None


@dataclass(frozen=True, slots=True)
class Negation:
    """A negated command: ``! COMMAND``."""

    command: "Command"


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of shell commands, each with the operator before it: ``;``, ``&&`` or ``||``."""

    items: "tuple[tuple[Literal[';', '&&', '||'], Command], ...]" = field(default=())


Command: TypeAlias = Simple | Redirected | Pipeline | Subshell | Case | Loop | For | If | Negation | Sequence
