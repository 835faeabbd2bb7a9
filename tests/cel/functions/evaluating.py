"""Evaluating expressions that call library functions."""

from collections.abc import Mapping

from memkube.cel.environment import Compiled, base_environment
from memkube.cel.errors import EvaluationError
from memkube.cel.libraries import kubernetes
from memkube.cel.program import Budget, Program
from memkube.cel.types import DYN, struct
from memkube.cel.values import Value

_BUDGET = 10**9
_ENVIRONMENT = base_environment(bindings=True).extended(
    {"x": DYN, "authorizer": struct("kubernetes.authorization.Authorizer")}, library=kubernetes.JSON_PATCHES
)


def program(expression: str) -> Program:
    """Compile an expression with the variables ``x`` and ``authorizer``."""
    compiled = _ENVIRONMENT.compile(expression)
    assert isinstance(compiled, Compiled), compiled.detail
    return Program(compiled)


def value_of(expression: str, variables: Mapping[str, Value] | None = None) -> Value:
    """Return the value of an expression. Raises EvaluationError."""
    return program(expression).evaluate(variables or {"x": {}}, Budget(_BUDGET))


def error_of(expression: str, variables: Mapping[str, Value] | None = None) -> str:
    """Return the message of the EvaluationError that an expression raises."""
    try:
        value = value_of(expression, variables)
    except EvaluationError as error:
        return str(error)
    raise AssertionError(f"{expression} is {value}")


def cost_of(expression: str, variables: Mapping[str, Value] | None = None) -> int:
    """Return the run-time cost of an expression."""
    budget = Budget(_BUDGET)
    program(expression).evaluate(variables or {"x": {}}, budget)
    return _BUDGET - budget.remaining
