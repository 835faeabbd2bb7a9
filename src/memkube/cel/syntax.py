"""Expressions as trees (cel-go's ``common/ast``)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

_is_identifier: Final = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*").fullmatch


class Unsigned(int):
    """A literal of type ``uint``."""


Constant: TypeAlias = bool | int | Unsigned | float | str | bytes | None


@dataclass(slots=True)
class Literal:
    """A value that is written out."""

    id: int
    value: Constant


@dataclass(slots=True)
class Ident:
    """A name."""

    id: int
    name: str


@dataclass(slots=True)
class Select:
    """A field of something; with `test`, whether it is there."""

    id: int
    operand: "Expr"
    field: str
    test: bool


@dataclass(slots=True)
class Call:
    """A function's or an operator's call, of a `target` where it is a member."""

    id: int
    function: str
    target: "Expr | None"
    arguments: list["Expr"]


@dataclass(slots=True)
class ListOf:
    """A list that is written out, and which of its items may be left out."""

    id: int
    items: list["Expr"]
    optional: frozenset[int]


class Entry(NamedTuple):
    """One of a map's entries, or of an object's fields, whose key is then its name."""

    id: int
    key: "Expr | str"
    value: "Expr"
    optional: bool


@dataclass(slots=True)
class MapOf:
    """A map that is written out."""

    id: int
    entries: list[Entry]


@dataclass(slots=True)
class Struct:
    """An object that is written out."""

    id: int
    type_name: str
    fields: list[Entry]


@dataclass(slots=True)
class Comprehension:
    """What a macro stands for: a loop over a range that gathers something in an accumulator."""

    id: int
    variable: str
    second_variable: str
    range: "Expr"
    accumulator: str
    initial: "Expr"
    condition: "Expr"
    step: "Expr"
    result: "Expr"


Expr: TypeAlias = Literal | Ident | Select | Call | ListOf | MapOf | Struct | Comprehension


@dataclass(slots=True)
class Ast:
    """A tree, and the offsets of its nodes in the text."""

    root: Expr
    offsets: dict[int, int] = field(default_factory=dict)

    def walk(self) -> Iterator[tuple[Expr, bool]]:
        """All nodes from the root down, and whether each is part of a call of ``format``."""
        waiting: list[tuple[Expr, bool]] = [(self.root, False)]
        while waiting:
            node, in_format = waiting.pop()
            yield node, in_format
            within = in_format or (isinstance(node, Call) and node.function == "format")
            waiting += [(part, within) for part in reversed(parts(node))]

    def escaped_fields(self) -> list[Select]:
        """Selections of fields whose names need backquotes."""
        return [node for node, _ in self.walk() if isinstance(node, Select) and not _is_identifier(node.field)]


def parts(node: Expr) -> list[Expr]:
    """What a node is made of, in the order in which it is written."""
    match node:
        case Select(operand=operand):
            return [operand]
        case Call(target=target, arguments=arguments):
            return [*arguments] if target is None else [target, *arguments]
        case ListOf(items=items):
            return items
        case MapOf(entries=entries) | Struct(fields=entries):
            return [part for entry in entries for part in (entry.key, entry.value) if not isinstance(part, str)]
        case Comprehension():
            return [node.range, node.initial, node.condition, node.step, node.result]
        case _:
            return []


def qualified_name(node: Expr) -> str | None:
    """The name ``a.b.c`` that a chain of selections can be read as."""
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select) and not node.test:
        prefix = qualified_name(node.operand)
        return None if prefix is None else f"{prefix}.{node.field}"
    return None
