"""The syntax tree of the part of the POSIX shell language that is played."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that stand for themselves."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """``$NAME``, ``${NAME:-default}``, ``${NAME%suffix}`` or ``${NAME##prefix}``."""

    name: str
    quoted: bool
    operator: str = ""
    operand: str = ""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``$((EXPRESSION))``."""

    expression: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Substitution:
    """``$(COMMANDS)``."""

    body: "Sequence"
    quoted: bool


Part: TypeAlias = Text | Variable | Arithmetic | Substitution
Word: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Redirection:
    """``2>>FILE``, ``2>&1`` or ``<FILE``: where a stream goes to or comes from instead."""

    stream: Literal["stdin", "stdout", "stderr", "both"]
    target: Word
    appends: bool = False
    duplicates: bool = False
    """Whether the target is another stream's number instead of a file."""
    is_text: bool = False
    """Whether the target is what is read, instead of a file."""


@dataclass(frozen=True, slots=True)
class Simple:
    """A command with its words, in an environment that some assignments change."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Redirected:
    """A command some of whose streams go elsewhere."""

    command: "Command"
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """``COMMAND | COMMAND``."""

    commands: "tuple[Command, ...]"


@dataclass(frozen=True, slots=True)
class Subshell:
    """``( COMMANDS )``, which change nothing of the shell that they stand in."""

    body: "Sequence"


@dataclass(frozen=True, slots=True)
class Case:
    """``case WORD in PATTERN) COMMANDS ;; … esac``."""

    word: Word
    branches: "tuple[tuple[tuple[Word, ...], Sequence], ...]"


@dataclass(frozen=True, slots=True)
class Loop:
    """``while`` or ``until``."""

    condition: "Sequence"
    body: "Sequence"
    until: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """``for NAME in WORDS``."""

    name: str
    words: tuple[Word, ...]
    body: "Sequence"


@dataclass(frozen=True, slots=True)
class If:
    """``if``, with a branch for each ``elif``."""

    branches: "tuple[tuple[Sequence, Sequence], ...]"
    otherwise: "Sequence | None" = None


@dataclass(frozen=True, slots=True)
class Negation:
    """``! COMMAND``."""

    command: "Command"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Commands in a row; each runs depending on how the one before it ended."""

    items: "tuple[tuple[Literal[';', '&&', '||'], Command], ...]" = field(default=())


Command: TypeAlias = Simple | Redirected | Pipeline | Subshell | Case | Loop | For | If | Negation | Sequence
