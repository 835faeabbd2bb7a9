"""Programs: compiled expressions that are ready for evaluation (cel-go's ``cel/program.go``)."""

from collections.abc import Mapping
from typing import Final

from memkube.cel.environment import Compiled
from memkube.cel.errors import BudgetExhausted, CostLimitExceeded, EvaluationError, EvaluationPanic
from memkube.cel.evaluation.planner import Construct, Planner
from memkube.cel.evaluation.steps import Cancelled, Frame
from memkube.cel.library import Library, base_library
from memkube.cel.values import Value

PER_CALL_LIMIT: Final = 1_000_000
"""Maximum cost of one evaluation (apiserver ``pkg/apis/cel/config.go``)."""


class Budget:
    """Limit of the total cost of several evaluations, such as the evaluations of all rules for one object.

    The cost of one evaluation is counted in :class:`memkube.cel.evaluation.steps.Frame`.
    """

    __slots__ = ("remaining",)

    def __init__(self, remaining: int) -> None:
        self.remaining = remaining

    def spend(self, cost: int) -> None:
        """Subtract a cost from the budget.

        Raises BudgetExhausted, without subtracting, if the budget is less than `cost`.
        """
        if cost > self.remaining:
            raise BudgetExhausted
        self.remaining -= cost


class Program:
    """A compiled expression that can be evaluated repeatedly.

    The constructor raises InstantiationError if a constant of the expression is invalid. `construct`, an argument of
    the constructor, returns the value of an object literal such as ``Type{field: 1}``: it gets the name of the type,
    and the values of the fields by name. Without it, object literals are invalid.
    """

    __slots__ = ("_run", "_slots")

    def __init__(self, compiled: Compiled, library: Library | None = None, construct: Construct | None = None) -> None:
        planner = Planner(compiled.types, compiled.resolved, library or base_library(), construct)
        self._run = planner.plan(compiled.ast.root).run
        self._slots = planner.slots

    def evaluate(self, variables: Mapping[str, Value], budget: Budget, limit: int = PER_CALL_LIMIT) -> Value:
        """Evaluate the expression and return its value.

        The cost is subtracted from the budget even if evaluation fails. Raises EvaluationError if the expression fails,
        CostLimitExceeded if this evaluation costs more than `limit`, and BudgetExhausted if it costs more than the
        remaining budget. BudgetExhausted takes precedence.
        """
        frame = Frame(variables, self._slots, limit)
        try:
            value = self._run(frame)
        except Cancelled:
            budget.spend(frame.cost)
            raise CostLimitExceeded from None
        except (EvaluationError, EvaluationPanic) as error:
            budget.spend(frame.cost)
            if frame.cost > limit:
                raise CostLimitExceeded from None
            if isinstance(error, EvaluationPanic):
                raise EvaluationError(str(error)) from None
            raise
        budget.spend(frame.cost)
        if frame.cost > limit:
            raise CostLimitExceeded
        return value
