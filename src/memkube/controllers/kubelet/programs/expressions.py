"""Shell command ``expr``: integer arithmetic, comparisons, ``|`` and ``&`` (POSIX.1-2024, expr)."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session, error

_ERROR: Final = 2
_KEYWORDS: Final = frozenset({":", "match", "substr", "index", "length", "quote"})
_Calculate: TypeAlias = Callable[[int, int], int]


class _Invalid(Exception):
    """Raised for an invalid expression, with the message of busybox."""


def _quotient(left: int, right: int) -> int:
    """Divide as C does: the quotient is cut towards zero."""
    if not right:
        raise _Invalid("division by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_SUMS: Final[Mapping[str, _Calculate]] = MappingProxyType(
    {"+": lambda left, right: left + right, "-": lambda left, right: left - right}
)
_PRODUCTS: Final[Mapping[str, _Calculate]] = MappingProxyType(
    {
        "*": lambda left, right: left * right,
        "/": _quotient,
        "%": lambda left, right: left - right * _quotient(left, right),
    }
)
_COMPARISONS: Final = MappingProxyType(
    {
        "=": (0,),
        "==": (0,),
        "!=": (-1, 1),
        "<": (-1,),
        "<=": (-1, 0),
        ">": (1,),
        ">=": (0, 1),
    }
)
"""Results of a comparison for which the operator is true: -1 if the left operand is smaller, 0 if both are equal."""


def evaluate(arguments: Sequence[str], session: Session) -> Run:
    """Run ``expr``. Raises NotSimulated for its operators on strings, such as ``:`` and ``substr``."""
    words = list(arguments[1:])
    if _KEYWORDS & set(words):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    try:
        value = _either(words)
        if words:
            raise _Invalid("syntax error")
    except _Invalid as problem:
        yield error(f"expr: {problem}")
        return _ERROR
    yield Output(f"{value}\n".encode())
    return int(_is_null(value))


def _either(words: list[str]) -> str:
    value = _both(words)
    while words[:1] == ["|"]:
        words.pop(0)
        other = _both(words)
        value = other if _is_null(value) else value
    return value


def _both(words: list[str]) -> str:
    value = _compared(words)
    while words[:1] == ["&"]:
        words.pop(0)
        other = _compared(words)
        value = "0" if _is_null(value) or _is_null(other) else value
    return value


def _compared(words: list[str]) -> str:
    value = _sum(words)
    while words and words[0] in _COMPARISONS:
        accepted = _COMPARISONS[words.pop(0)]
        value = str(int(_comparison(value, _sum(words)) in accepted))
    return value


def _comparison(left: str, right: str) -> int:
    """Compare two values as numbers, or as texts if either value is not a number."""
    try:
        numbers = int(left), int(right)
    except ValueError:
        return (left > right) - (left < right)
    return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])


def _sum(words: list[str]) -> str:
    return _calculated(words, _SUMS, _product)


def _product(words: list[str]) -> str:
    return _calculated(words, _PRODUCTS, _operand)


def _calculated(words: list[str], operators: Mapping[str, _Calculate], operand: Callable[[list[str]], str]) -> str:
    value = operand(words)
    while words and words[0] in operators:
        calculate = operators[words.pop(0)]
        value = str(calculate(_number(value), _number(operand(words))))
    return value


def _operand(words: list[str]) -> str:
    if not words:
        raise _Invalid("syntax error")
    word = words.pop(0)
    if word != "(":
        return word
    value = _either(words)
    if words[:1] != [")"]:
        raise _Invalid("syntax error")
    words.pop(0)
    return value


def _number(value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise _Invalid("non-numeric argument") from None


def _is_null(value: str) -> bool:
    return value in ("", "0")
