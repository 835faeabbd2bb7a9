"""What evaluating can end with instead of a value."""

from typing import Final

OVER_LIMIT: Final = "operation cancelled: actual cost limit exceeded"


class EvaluationError(Exception):
    """An expression has no value; the message has cel-go's words. ``&&`` and ``||`` may pass over it."""


class CostLimitExceeded(EvaluationError):
    """One evaluation cost more than one may. Nothing in an expression passes over that."""

    def __init__(self) -> None:
        super().__init__(OVER_LIMIT)


class BudgetExhausted(Exception):
    """What several evaluations may cost together is used up."""


class InstantiationError(Exception):
    """No program can be made of a checked expression, because something constant in it has no value."""


def no_such_overload(function: str = "", kinds: tuple[str, ...] | None = None) -> EvaluationError:
    """Values of these kinds are not what the function takes."""
    if not function:
        return EvaluationError("no such overload")
    return EvaluationError(f"no such overload: {function}" + ("" if kinds is None else f"({', '.join(kinds)})"))


def missing_key(key: str) -> EvaluationError:
    """A map or an object has no such entry; `key` as Go prints it."""
    return EvaluationError(f"no such key: {key}")
