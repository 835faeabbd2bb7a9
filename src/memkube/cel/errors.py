"""Exceptions for expressions that fail or exceed a cost limit, with the error messages of cel-go."""

from typing import Final

OVER_LIMIT: Final = "operation cancelled: actual cost limit exceeded"


class EvaluationError(Exception):
    """Raised with cel-go's message if an expression fails. The operators ``&&`` and ``||`` can absorb this error."""


class CostLimitExceeded(EvaluationError):
    """Raised if one evaluation exceeds its cost limit. The operators ``&&`` and ``||`` cannot absorb this error."""

    def __init__(self) -> None:
        super().__init__(OVER_LIMIT)


class EvaluationPanic(Exception):
    """Raised with Go's message if Kubernetes panics. The operators ``&&`` and ``||`` cannot absorb this error."""


class BudgetExhausted(Exception):
    """Raised if the evaluations for one request together exceed their cost budget."""


class InstantiationError(Exception):
    """Raised if evaluating a constant part of a checked expression fails, so that the expression cannot be used."""


def no_such_overload(function: str = "", kinds: tuple[str, ...] | None = None) -> EvaluationError:
    """Return the error for a call of a function that does not accept its argument types, `kinds`."""
    if not function:
        return EvaluationError("no such overload")
    return EvaluationError(f"no such overload: {function}" + ("" if kinds is None else f"({', '.join(kinds)})"))


def missing_key(key: str) -> EvaluationError:
    """Return the error for a missing map key or field; `key` is already formatted."""
    return EvaluationError(f"no such key: {key}")
