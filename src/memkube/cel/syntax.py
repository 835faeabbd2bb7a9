"""Syntax tree of an expression (cel-go's ``common/ast``)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Unsigned(int):
    """A CEL value of the type ``uint``. Plain Python integers are values of the type ``int``."""


Constant: TypeAlias = bool | int | Unsigned | float | str | bytes | None


@dataclass(slots=True)
class Literal:
    """A literal: a number, string, bytes, bool or null."""

    id: int
    value: Constant


@dataclass(slots=True)
class Ident:
    """A reference to a variable or type by its name."""

    id: int
    name: str


@dataclass(slots=True)
class Select:
    """A field selection such as ``a.b``; if `test` is true, the check ``has(a.b)``."""

    id: int
    operand: "Expr"
    field: str
    test: bool


@dataclass(slots=True)
class Call:
    """A call of a function or operator; `target` is the receiver of a member function."""

    id: int
    function: str
    target: "Expr | None"
    arguments: list["Expr"]


@dataclass(slots=True)
class ListOf:
    """A list literal; `optional` has the indexes of items marked with ``?``."""

    id: int
    items: list["Expr"]
    optional: frozenset[int]


class Entry(NamedTuple):
    """An entry of a map literal or a field of an object literal; for a field, `key` is its name."""

    id: int
    key: "Expr | str"
    value: "Expr"
    optional: bool


@dataclass(slots=True)
class MapOf:
    """A map literal such as ``{'a': 1}``."""

    id: int
    entries: list[Entry]


@dataclass(slots=True)
class Struct:
    """An object literal such as ``Type{field: 1}``."""

    id: int
    type_name: str
    fields: list[Entry]


@dataclass(slots=True)
class Comprehension:
    """A macro after expansion: a loop over the value `range` that updates an accumulator."""

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
    """The syntax tree of an expression, and the offset of each node in the expression's text, by node id."""

    root: Expr
    offsets: dict[int, int] = field(default_factory=dict)

    def walk(self) -> Iterator[tuple[Expr, bool]]:
        """Yield all nodes, parents first, each with True if the node is inside a call of ``format``."""
        waiting: list[tuple[Expr, bool]] = [(self.root, False)]
        while waiting:
            node, in_format = waiting.pop()
            yield node, in_format
            within = in_format or (isinstance(node, Call) and node.function == "format")
            waiting += [(part, within) for part in reversed(parts(node))]

    def is_deeper_than(self, limit: int) -> bool:
        """True if the tree has more than `limit` levels; the root alone is one level."""
        level: list[Expr] = [self.root]
        for _ in range(limit):
            level = [part for node in level for part in parts(node)]
        return bool(level)


def parts(node: Expr) -> list[Expr]:
    """Return the child nodes of a node in source order."""
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
    """Return the qualified name ``a.b.c`` that a chain of selections forms; None for other expressions."""
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select) and not node.test:
        prefix = qualified_name(node.operand)
        return None if prefix is None else f"{prefix}.{node.field}"
    return None
