"""Exceptions that evaluation raises."""

from typing import Final

OVER_LIMIT: Final = "operation cancelled: actual cost limit exceeded"


class EvaluationError(Exception):
    """An expression failed, with cel-go's message. ``&&`` and ``||`` can absorb this error."""


class CostLimitExceeded(EvaluationError):
    """One evaluation exceeded its cost limit. ``&&`` and ``||`` cannot absorb this error."""

    def __init__(self) -> None:
        super().__init__(OVER_LIMIT)


class BudgetExhausted(Exception):
    """The evaluations of a request together exceeded their cost budget."""


class InstantiationError(Exception):
    """A checked expression cannot be planned, because evaluating one of its constants failed."""


def no_such_overload(function: str = "", kinds: tuple[str, ...] | None = None) -> EvaluationError:
    """Return the error for arguments of types that the function does not accept."""
    if not function:
        return EvaluationError("no such overload")
    return EvaluationError(f"no such overload: {function}" + ("" if kinds is None else f"({', '.join(kinds)})"))


def missing_key(key: str) -> EvaluationError:
    """Return the error for a missing map key or field; `key` is formatted as Go prints it."""
    return EvaluationError(f"no such key: {key}")
