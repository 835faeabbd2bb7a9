"""CEL expressions in Stages. The variable ``self`` is the object, without a type (KWOK's ``pkg/utils/cel``).

The standard functions of CEL can be used, but not KWOK's functions.
"""

from functools import cache
from typing import Any, Final

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.go_integers import truncated_to_int64
from memkube.cel.declarations import TYPE_NAMES, Declarations, read_functions
from memkube.cel.environment import CompileError, Environment
from memkube.cel.errors import BudgetExhausted, EvaluationError, InstantiationError
from memkube.cel.libraries import standard
from memkube.cel.program import PER_CALL_LIMIT, Budget, Program
from memkube.cel.types import DYN, STRING, map_of
from memkube.cel.values import Duration, Value

_NANOSECONDS: Final = 1_000_000_000


class CelFailed(Exception):
    """Raised if a CEL expression fails, or if its result has the wrong type. The message has one line."""


class CelExpression:
    """A compiled CEL expression of a Stage, which is evaluated for an object."""

    def __init__(self, text: str) -> None:
        """Compile a CEL expression.

        Raises ValueError with a message of one line if the expression is malformed or uses an unsupported feature.
        """
        try:
            compiled = _environment().compile(text)
            if isinstance(compiled, CompileError):
                raise ValueError(f"CEL expression {text!r}: {_one_line(compiled.detail)}")
            self._program = Program(compiled)
        except (ApiError, InstantiationError) as error:
            raise ValueError(f"CEL expression {text!r}: {_one_line(str(error))}") from None

    def condition(self, document: Any) -> bool:
        """Return the boolean result of the CEL expression for an object.

        Raises CelFailed if the expression fails or is not boolean.
        """
        value = self._evaluated(document)
        if not isinstance(value, bool):
            raise CelFailed("the result of the CEL expression is not a boolean")
        return value

    def integer(self, document: Any) -> int:
        """Return the result of the CEL expression for an object as an integer.

        A boolean becomes 0 or 1, and a duration its nanoseconds. Raises CelFailed if the expression fails, or has
        another result that is not a number.
        """
        value = self._evaluated(document)
        if isinstance(value, Duration):
            return value.nanoseconds
        if not isinstance(value, (int, float)):
            raise CelFailed("the result of the CEL expression is not a number")
        return truncated_to_int64(value)

    def nanoseconds(self, document: Any) -> int:
        """Return the duration in nanoseconds that the CEL expression computes for an object.

        The expression must result in a duration, a text such as ``1h30m``, or a number of nanoseconds. Raises CelFailed
        if it fails or has another result.
        """
        value = self._evaluated(document)
        if isinstance(value, Duration):
            return value.nanoseconds
        if isinstance(value, str):
            try:
                return round(parse_duration(value) * _NANOSECONDS)
            except ValueError as error:
                raise CelFailed(str(error)) from None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise CelFailed("the result of the CEL expression is not a duration")
        return truncated_to_int64(value)

    def _evaluated(self, document: Any) -> Value:
        try:
            return self._program.evaluate({"self": document}, Budget(PER_CALL_LIMIT))
        except (EvaluationError, BudgetExhausted) as error:
            raise CelFailed(_one_line(str(error)) or type(error).__name__) from None


@cache
def _environment() -> Environment:
    functions = read_functions(standard.OPERATORS, standard.FUNCTIONS)
    return Environment(Declarations(functions, TYPE_NAMES)).extended({"self": map_of(STRING, DYN)})


def _one_line(text: str) -> str:
    return " ".join(text.split())
