"""Programs: cost budgets and limits, and constants that cannot be evaluated."""

import pytest

from memkube.cel.declarations import Fields
from memkube.cel.environment import Compiled, base_environment
from memkube.cel.errors import BudgetExhausted, CostLimitExceeded, EvaluationError, InstantiationError
from memkube.cel.program import Budget, Program
from memkube.cel.types import INT, struct
from memkube.cel.values import Value
from tests.cel.evaluating import VARIABLES, program_of

COSTLY = "words.map(a, words.map(b, words.map(c, a + b + c)))"


def test_programs_share_a_budget() -> None:
    budget = Budget(10)
    program_of("n + 1").evaluate(VARIABLES, budget)
    program_of("n + n").evaluate(VARIABLES, budget)
    assert budget.remaining == 5


def test_errors_are_paid_for() -> None:
    budget = Budget(10)
    with pytest.raises(EvaluationError, match="division by zero"):
        program_of("n / 0").evaluate(VARIABLES, budget)
    assert budget.remaining == 8


def test_an_empty_budget_counts_before_any_error() -> None:
    with pytest.raises(BudgetExhausted):
        program_of("n / 0").evaluate(VARIABLES, Budget(1))


def test_what_is_left_of_a_budget_stays_when_it_is_not_enough() -> None:
    budget = Budget(1)
    with pytest.raises(BudgetExhausted):
        program_of("n + 1").evaluate(VARIABLES, budget)
    assert budget.remaining == 1


def test_one_evaluation_may_not_cost_more_than_the_limit() -> None:
    with pytest.raises(CostLimitExceeded, match=r"^operation cancelled: actual cost limit exceeded$"):
        program_of(COSTLY).evaluate(VARIABLES, Budget(10**9), limit=100)


def test_logic_does_not_pass_over_the_limit() -> None:
    with pytest.raises(CostLimitExceeded):
        program_of(f"{COSTLY}.size() > 0 || true").evaluate(VARIABLES, Budget(10**9), limit=100)


def test_endless_loops_are_stopped() -> None:
    budget = Budget(10**9)
    nested = "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, true)))"
    with pytest.raises(CostLimitExceeded):
        program_of(nested).evaluate(VARIABLES, budget)
    assert 10**9 - budget.remaining < 1_100_000


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("int('five')", "type conversion error from 'string' to 'int'"),
        ("n == int(1e20)", "integer overflow"),
        ("uint(-1) == 1u", "unsigned integer overflow"),
        ("object[null]", "invalid qualifier type: types.Null"),
        ("object[b'a']", "invalid qualifier type: types.Bytes"),
    ],
)
def test_constants_without_a_value_make_no_program(expression: str, why: str) -> None:
    with pytest.raises(InstantiationError) as caught:
        program_of(expression)
    assert str(caught.value) == why


def test_objects_are_made_by_the_caller() -> None:
    environment = base_environment().extended({"n": INT}, [Fields("Thing", {"size": INT})])
    compiled = environment.compile("Thing{size: n}")
    assert isinstance(compiled, Compiled)

    def construct(name: str, fields: dict[str, Value]) -> Value:
        return {"name": name, **fields}

    program = Program(compiled, construct=construct)
    budget = Budget(100)
    assert compiled.result == struct("Thing")
    assert program.evaluate(VARIABLES, budget) == {"name": "Thing", "size": 5}
    assert budget.remaining == 100 - 41


def test_objects_are_refused_where_nobody_makes_them() -> None:
    environment = base_environment().extended({}, [Fields("Thing", {"size": INT})])
    compiled = environment.compile("Thing{size: 1}")
    assert isinstance(compiled, Compiled)
    with pytest.raises(InstantiationError, match="unknown type: Thing"):
        Program(compiled)


@pytest.mark.parametrize("expression", ["[int].map(x, x)", "[1].all(i, cel.bind(t, type(i), t == int))"])
def test_a_variable_whose_values_are_types_is_taken_for_the_name_of_a_type(expression: str) -> None:
    with pytest.raises(InstantiationError, match=r"reference to undefined type: [xt]"):
        program_of(expression)


def test_a_variable_of_types_with_the_name_of_a_type_has_this_type_as_its_value() -> None:
    assert program_of("[bool].map(int, int)[0] == type(1)").evaluate(VARIABLES, Budget(100)) is True


def test_a_logical_operator_does_not_absorb_a_panic() -> None:
    with pytest.raises(EvaluationError, match="internal error: interface conversion"):
        program_of("dyn(n).distinct() == [] || true").evaluate(VARIABLES, Budget(100))
