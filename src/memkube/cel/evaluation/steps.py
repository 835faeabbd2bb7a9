"""What trees are made into: closures over a frame."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memkube.cel.errors import EvaluationError, InstantiationError
from memkube.cel.values import MISSING, Value

if TYPE_CHECKING:
    from memkube.cel.evaluation.attributes import Attribute


class Cancelled(Exception):
    """The evaluation costs more than it may."""


class Frame:
    """One evaluation: its variables, the slots of loops' variables, what it has cost so far and what it may cost."""

    __slots__ = ("cost", "limit", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int) -> None:
        self.variables = variables
        self.slots: list[Value] = [MISSING] * slots
        self.cost = 0
        self.limit = limit


Run: TypeAlias = Callable[[Frame], Value]
"""Evaluates something, and adds its cost. Raises EvaluationError, and Cancelled."""


@dataclass(frozen=True, slots=True)
class Step:
    """A part of an expression, ready to run: what it always is, if that is known, and the way that it is, if any."""

    run: Run
    constant: Value = MISSING
    attribute: "Attribute | None" = None

    @property
    def is_constant(self) -> bool:
        """Whether it is always the same."""
        return self.constant is not MISSING


def constant(value: Value) -> Step:
    """What is always the same costs nothing."""
    return Step(lambda frame: value, constant=value)


def folded(step: Step) -> Step:
    """A step of nothing but constants, done already. Raises InstantiationError."""
    try:
        return constant(step.run(Frame({}, 0, 0)))
    except EvaluationError as error:
        raise InstantiationError(str(error)) from None
