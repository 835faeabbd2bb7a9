"""What estimates are told of a call, and what they tell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from memkube.cel.costs.ranges import UNKNOWN, Range
from memkube.cel.declarations import Overload
from memkube.cel.syntax import Expr, Literal
from memkube.cel.types import Type

TRAVERSAL: Final = 0.1
"""Of each character of a text that is gone through."""
PATTERN: Final = 0.25
"""Of each character of a pattern."""
LIST: Final = 10
MAP: Final = 30
STRUCT: Final = 40

SizeOf: TypeAlias = Callable[[tuple[str, ...]], Range | None]
"""How large what a path leads to can be; None where that is not known."""


class Cost(NamedTuple):
    """What a call costs without its arguments, and the size of its result where that is known."""

    cost: Range
    size: Range | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """What a call is given: where it comes from, its type and its size as far as they are known."""

    path: tuple[str, ...]
    type: Type
    expr: Expr | None
    known_size: Range | None
    size_of: SizeOf

    @property
    def size(self) -> Range:
        """The size, or that nothing is known of it."""
        return self.known_size or self.size_of(self.path) or UNKNOWN

    def item(self) -> "Node | None":
        """What a list holds; None of what is none."""
        if not self.type.parameters:
            return None
        path = (*self.path, "@items") if self.path else ()
        return replace(self, path=path, type=self.type.parameters[0], expr=None, known_size=None)

    def number(self, otherwise: int) -> int:
        """The number that is written out."""
        if isinstance(self.expr, Literal) and type(self.expr.value) is int:
            return max(self.expr.value, 0)
        return otherwise


@dataclass(frozen=True, slots=True)
class Given:
    """A call: its overload, what it is called on, and its arguments."""

    overload: Overload
    target: Node | None
    arguments: Sequence[Node]
