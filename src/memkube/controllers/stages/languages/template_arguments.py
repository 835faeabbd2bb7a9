"""Functions of templates, and the checks and conversions of their arguments (Go's ``text/template`` and Sprig)."""

import math
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from memkube.apimachinery.go_integers import parse_int64, parse_prefixed_int64, truncated_to_int64, wrapped_to_int64
from memkube.controllers.stages.languages.template_values import Int64, Number, TemplateError, kind, shown

LONGEST: Final = 4_000_000
"""Maximum number of characters of a text that a template function returns."""
MOST_ITEMS: Final = 100_000
"""Maximum number of items of a list that a template function returns, and of characters of a random text."""
_DIGITS: Final = r"\d+(?:_\d+)*"
_FLOAT: Final = re.compile(
    rf"[+-]?(?:(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE
)
_INTEGER: Final = re.compile("[+-]?[0-9]+")
_ANY: Final = 2**31
"""Maximum number of arguments of a template function that accepts any number of arguments."""


class TemplateFunction(NamedTuple):
    """A function that templates may call, with the number of arguments that it takes."""

    call: Callable[..., Any]
    """Function that computes the result. It raises TemplateError for invalid arguments."""
    least: int
    """Minimum number of arguments of the function."""
    most: int
    """Maximum number of arguments of the function."""


def taking(count: int, call: Callable[..., Any]) -> TemplateFunction:
    """Return a template function that calls `call`, and takes exactly `count` arguments."""
    return TemplateFunction(call, count, count)


def taking_at_least(count: int, call: Callable[..., Any]) -> TemplateFunction:
    """Return a template function that calls `call`, and takes at least `count` arguments."""
    return TemplateFunction(call, count, _ANY)


def of_texts(count: int, call: Callable[..., Any]) -> TemplateFunction:
    """Return a template function that calls `call`, and takes exactly `count` arguments, all of them strings."""
    return taking(count, lambda *texts: call(*(text_of(text) for text in texts)))


def text_of(value: Any) -> str:
    """Return an argument that must be a string. Raises TemplateError for other types."""
    if value is None:
        raise TemplateError("invalid value; expected string")
    if not isinstance(value, str) or isinstance(value, Number):
        raise TemplateError(f"wrong type for value; expected string; got {kind(value)}")
    return value


def bool_of(value: Any) -> bool:
    """Return an argument that must be a boolean. Raises TemplateError for other types."""
    if not isinstance(value, bool):
        raise TemplateError(f"wrong type for value; expected bool; got {kind(value)}")
    return value


def int_of(value: Any) -> int:
    """Return an argument that must be an ``int``. Raises TemplateError for other types.

    Go does not convert an ``int64``, such as the result of ``add``, or a number of the object: a template must do that
    with the function ``int``.
    """
    if not isinstance(value, int) or isinstance(value, (bool, Int64)):
        shown_kind = "int64" if isinstance(value, Int64) else kind(value)
        raise TemplateError(f"wrong type for value; expected int; got {shown_kind}")
    return value


def list_of(value: Any) -> list[Any]:
    """Return an argument that must be a list. Raises TemplateError for other types."""
    if not isinstance(value, list):
        raise TemplateError(f"wrong type for value; expected a list; got {kind(value)}")
    return value


def dict_of(value: Any) -> dict[str, Any]:
    """Return an argument that must be a map. Raises TemplateError for other types."""
    if not isinstance(value, dict):
        raise TemplateError(f"wrong type for value; expected a map; got {kind(value)}")
    return value


def to_int64(value: Any) -> Int64:
    """Convert an argument to an integer as Sprig does: 0 if it is not a number."""
    if isinstance(value, (bool, int)):
        return Int64(value)
    if isinstance(value, float):
        return Int64(truncated_to_int64(value))
    if not isinstance(value, str):
        return Int64(0)
    whole, point, fraction = value.partition(".")
    try:
        return Int64(parse_prefixed_int64(whole if point and not fraction.strip("0") else value))
    except ValueError:
        return Int64(0)


def atoi(text: str) -> int:
    """Parse a decimal integer as Sprig does, which ignores errors of Go's ``strconv.Atoi``.

    Returns 0 if the text is not an integer, and the nearest 64-bit integer if it is out of range.
    """
    try:
        return parse_int64(text)
    except ValueError:
        if _INTEGER.fullmatch(text) is None:
            return 0
        return -(2**63) if text.startswith("-") else 2**63 - 1


def to_float64(value: Any) -> float:
    """Convert an argument to a float as Sprig does: 0 if it is not a number."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    if not isinstance(value, str) or _FLOAT.fullmatch(value) is None:
        return 0.0
    number = float(value)
    # In Go, parsing a number that does not fit into a float fails.
    return 0.0 if math.isinf(number) and any(letter.isdigit() for letter in value) else number


def to_text(value: Any) -> str:
    """Convert an argument to a string as Sprig does."""
    return shown(value, nested=True)


def check_length(length: int) -> None:
    """Raise TemplateError if a text of `length` characters is too long for the result of a template function.

    A function whose result may be much longer than its arguments calls this before it creates the result.
    """
    if length > LONGEST:
        raise TemplateError(f"the text has more than {LONGEST} characters")


def checked_result(value: Any) -> Any:
    """Return the result of a template function. Raises TemplateError if it is a text or a list that is too long."""
    if isinstance(value, str):
        check_length(len(value))
    elif isinstance(value, list) and len(value) > MOST_ITEMS:
        raise TemplateError(f"the list has more than {MOST_ITEMS} items")
    return value


def wrapped_int64(number: int) -> Int64:
    """Return the result of an arithmetic operation as an ``int64``, which overflows as in Go."""
    return Int64(wrapped_to_int64(number))


def decoded(data: bytes) -> str:
    """Decode bytes as UTF-8 text. Go would print invalid bytes unchanged; here, they become U+FFFD."""
    return data.decode(errors="replace")
