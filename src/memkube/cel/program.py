"""Checked expressions, ready to be evaluated (cel-go's ``cel/program.go``)."""

from collections.abc import Mapping
from typing import Final

from memkube.cel.environment import Compiled
from memkube.cel.errors import BudgetExhausted, CostLimitExceeded, EvaluationError
from memkube.cel.evaluation.planner import Construct, Planner
from memkube.cel.evaluation.steps import Cancelled, Frame
from memkube.cel.library import Library, base_library
from memkube.cel.values import Value

PER_CALL_LIMIT: Final = 1_000_000
"""What one evaluation may cost (apiserver ``pkg/apis/cel/config.go``)."""


class Budget:
    """What several evaluations may cost together."""

    __slots__ = ("remaining",)

    def __init__(self, remaining: int) -> None:
        self.remaining = remaining

    def spend(self, cost: int) -> None:
        """Takes a cost from what remains. Raises BudgetExhausted where less remains than that, which stays."""
        if cost > self.remaining:
            raise BudgetExhausted
        self.remaining -= cost


class Program:
    """An expression that can be evaluated any number of times. Raises InstantiationError for one that cannot.

    `construct` makes the objects that the expression writes out; without it there are none.
    """

    __slots__ = ("_run", "_slots")

    def __init__(self, compiled: Compiled, library: Library | None = None, construct: Construct | None = None) -> None:
        planner = Planner(compiled.types, compiled.resolved, library or base_library(), construct)
        self._run = planner.plan(compiled.ast.root).run
        self._slots = planner.slots

    def evaluate(self, variables: Mapping[str, Value], budget: Budget, limit: int = PER_CALL_LIMIT) -> Value:
        """The value of the expression.

        The cost is taken from the budget whatever comes of it. Raises EvaluationError, CostLimitExceeded where this
        evaluation alone costs more than the limit, and before these BudgetExhausted.
        """
        frame = Frame(variables, self._slots, limit)
        try:
            value = self._run(frame)
        except Cancelled:
            budget.spend(frame.cost)
            raise CostLimitExceeded from None
        except EvaluationError:
            budget.spend(frame.cost)
            if frame.cost > limit:
                raise CostLimitExceeded from None
            raise
        budget.spend(frame.cost)
        if frame.cost > limit:
            raise CostLimitExceeded
        return value
