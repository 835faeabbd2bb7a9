"""Types that cost estimators take and return: arguments, calls and estimated costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from memkube.cel.costs.ranges import UNKNOWN, Range
from memkube.cel.declarations import Overload
from memkube.cel.syntax import Expr, Literal
from memkube.cel.types import Type

TRAVERSAL: Final = 0.1
"""Cost per character of reading a string."""
PATTERN: Final = 0.25
"""Cost per character of a regular expression."""
LIST: Final = 10
MAP: Final = 30
STRUCT: Final = 40

SizeOf: TypeAlias = Callable[[tuple[str, ...]], Range | None]
"""Function that returns the possible sizes of the value at a path of field names; None if unknown."""


class Cost(NamedTuple):
    """Cost of a call without the costs of its arguments, and the size of the call's result."""

    cost: Range
    size: Range | None = None
    """Estimated size of the result; None if it is unknown."""


@dataclass(frozen=True, slots=True)
class Node:
    """An argument or the receiver of a call, for cost estimates.

    It has a type, a size, and a path that begins with a variable, as far as these are known.
    """

    path: tuple[str, ...]
    type: Type
    expr: Expr | None
    known_size: Range | None
    size_of: SizeOf

    @property
    def size(self) -> Range:
        """Estimated size of the value of this argument or receiver; `UNKNOWN` if nothing limits it."""
        return self.known_size or self.size_of(self.path) or UNKNOWN

    def item(self) -> "Node | None":
        """Return a Node for the items of the list that this Node stands for; None if it does not stand for a list."""
        if not self.type.parameters:
            return None
        path = (*self.path, "@items") if self.path else ()
        return replace(self, path=path, type=self.type.parameters[0], expr=None, known_size=None)

    def number(self, otherwise: int) -> int:
        """Return the value if this is an integer literal (0 for a negative one), or else `otherwise`."""
        if isinstance(self.expr, Literal) and type(self.expr.value) is int:
            return max(self.expr.value, 0)
        return otherwise


@dataclass(frozen=True, slots=True)
class CallArguments:
    """A call for cost estimation: its overload, its receiver (None for a global function) and its arguments."""

    overload: Overload
    target: Node | None
    arguments: Sequence[Node]
