"""Evaluating expressions in tests."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from memkube.cel.environment import CompileError, Environment, base_environment
from memkube.cel.errors import EvaluationError
from memkube.cel.program import Budget, Program
from memkube.cel.types import BOOL, DYN, INT, STRING, list_of, map_of
from memkube.cel.values import Value

OBJECT: Final = {
    "a": {"b": 1, "text": "long", "none": None, "half": 1.5},
    "list": [1, 2, 3],
    "items": [{"k": "x", "v": 1}, {"k": "y", "v": 2}],
    "mixed": [1, "a", 2.5, None, True],
}
VARIABLES: Final[Mapping[str, Any]] = {
    "object": OBJECT,
    "n": 5,
    "s": "hello",
    "yes": True,
    "words": ["a", "bb", "hello"],
    "counts": {"x": 1, "y": 2},
}
ENVIRONMENT: Final = base_environment(bindings=True).extended(
    {
        "object": DYN,
        "n": INT,
        "s": STRING,
        "yes": BOOL,
        "words": list_of(STRING),
        "counts": map_of(STRING, INT),
    }
)
_MUCH: Final = 10**12


def program_of(expression: str, environment: Environment = ENVIRONMENT) -> Program:
    """Compile a valid expression to a program."""
    compiled = environment.compile(expression)
    assert not isinstance(compiled, CompileError), compiled.detail
    return Program(compiled)


def evaluated(expression: str, variables: Mapping[str, Any] = VARIABLES) -> Value:
    """Return the value of an expression."""
    return program_of(expression).evaluate(variables, Budget(_MUCH))


def failure_of(expression: str, variables: Mapping[str, Any] = VARIABLES) -> str:
    """Return the message of the EvaluationError that an expression raises."""
    with pytest.raises(EvaluationError) as caught:
        program_of(expression).evaluate(variables, Budget(_MUCH))
    return str(caught.value)


def cost_of(expression: str, variables: Mapping[str, Any] = VARIABLES) -> int:
    """Return the run-time cost of an expression."""
    budget = Budget(_MUCH)
    program_of(expression).evaluate(variables, budget)
    return _MUCH - budget.remaining
