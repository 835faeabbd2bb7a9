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
    """``$NAME`` or ``${NAME:-default}``."""

    name: str
    quoted: bool
    default: str = ""


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
    """``2>>FILE`` or ``2>&1``: where a stream goes instead."""

    stream: Literal["stdout", "stderr"]
    target: Word
    appends: bool = False
    duplicates: bool = False
    """Whether the target is another stream's number instead of a file."""


@dataclass(frozen=True, slots=True)
class Simple:
    """A command with its words, in an environment that some assignments change."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()


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


Command: TypeAlias = Simple | Loop | For | If | Negation | Sequence
