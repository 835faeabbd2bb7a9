"""Steps: parts of an expression compiled into closures that run on a frame."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memkube.cel.errors import EvaluationError, InstantiationError
from memkube.cel.values import MISSING, Value

if TYPE_CHECKING:
    # A circle of types: an attribute is resolved by steps, and a step may evaluate attributes.
    from memkube.cel.evaluation.attributes import Attribute


class Cancelled(Exception):
    """The evaluation exceeded its cost limit."""


class Frame:
    """State of one evaluation: caller's variables, slots of comprehension variables, cost so far and cost limit."""

    __slots__ = ("cost", "limit", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int) -> None:
        self.variables = variables
        self.slots: list[Value] = [MISSING] * slots
        self.cost = 0
        self.limit = limit


Run: TypeAlias = Callable[[Frame], Value]
"""Evaluates a part of an expression and adds its cost to the frame.

Raises EvaluationError, or Cancelled if over the limit.
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A part of an expression, ready to run, with its constant value if it has one and its attribute if it is one."""

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
    """Evaluate a step whose operands are all constants. Raises InstantiationError if that fails."""
    try:
        return constant(step.run(Frame({}, 0, 0)))
    except EvaluationError as error:
        raise InstantiationError(str(error)) from None
