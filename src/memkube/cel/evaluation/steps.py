"""Steps: parts of an expression that have been compiled into Python closures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memkube.cel.errors import EvaluationError, InstantiationError
from memkube.cel.values import MISSING, Value

if TYPE_CHECKING:
    # This import is for type checkers only: at run time, it would be circular, because attributes imports steps.
    from memkube.cel.evaluation.attributes import Attribute


class Cancelled(Exception):
    """Raised by a comprehension if the cost of the evaluation so far exceeds `Frame.limit`."""


class Frame:
    """State of one evaluation: variables of the caller, values of comprehension variables, cost so far and limit.

    Each step adds its cost to `cost`. Comprehensions raise Cancelled once `cost` exceeds `limit`, and
    :class:`memkube.cel.program.Program` checks the limit at the end.
    """

    __slots__ = ("cost", "limit", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int) -> None:
        self.variables = variables
        self.slots: list[Value] = [MISSING] * slots
        self.cost = 0
        self.limit = limit


Run: TypeAlias = Callable[[Frame], Value]
"""Function that evaluates a part of an expression and adds its cost to `Frame.cost`.

Raises EvaluationError if the part fails, and Cancelled if the cost limit is exceeded.
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A compiled part of an expression.

    `constant` is its value if the part always has the same value. `attribute` is set if the part reads a variable, or
    fields and items of a value.
    """

    run: Run
    constant: Value = MISSING
    attribute: "Attribute | None" = None

    @property
    def is_constant(self) -> bool:
        """True if the step always has the same value."""
        return self.constant is not MISSING


def constant(value: Value) -> Step:
    """Return a step with a constant value, which costs nothing."""
    return Step(lambda frame: value, constant=value)


def fold(step: Step) -> Step:
    """Evaluate a step whose operands are all constants, and return a step with its value as constant.

    Raises InstantiationError if the evaluation fails.
    """
    try:
        return constant(step.run(Frame({}, 0, 0)))
    except EvaluationError as error:
        raise InstantiationError(str(error)) from None
