"""The ``format`` function of strings (cel-go's ``ext/formatting.go``, library version 3).

Doubles use English notation as Go's x/text prints it: ``1,234.50``, with exponents as powers of ten.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final

from memkube.apimachinery.shown_values import quoted
from memkube.cel.errors import CostLimitExceeded, EvaluationError
from memkube.cel.standard.conversions import CONVERSIONS
from memkube.cel.standard.maps import value_of_key
from memkube.cel.values import (
    Duration,
    MapValue,
    Timestamp,
    TypeValue,
    Value,
    is_list,
    kind_of,
)

LONGEST_TEXT: Final = 100_000_000
"""Maximum number of characters of a string that a function returns.

Reading a longer string would exceed every cost limit.
"""
_DEFAULT_PRECISION: Final = 6
_MOST_PRECISION: Final = 10**6
_SUPERSCRIPTS: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_NOT_FINITE: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_PRINTABLE: Final = (int, float, str, bytes, Timestamp, Duration, TypeValue)
_STRING_KINDS: Final = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"


def formatted(text: str, arguments: Sequence[Value]) -> str:
    """Replace the formatting clauses in a string by the arguments and return the result.

    Raises EvaluationError if a clause is invalid or does not match its argument.
    """
    made: list[str] = []
    index = used = length = 0
    while (found := text.find("%", index)) >= 0:
        made.append(text[index:found])
        if text.startswith("%%", found):
            made.append("%")
            index = found + 2
            continue
        if used >= len(arguments):
            raise EvaluationError(f"index {used} out of range")
        if found + 1 == len(text):
            raise EvaluationError("unexpected end of string")
        clause, index = _clause(text, found + 1)
        try:
            made.append(clause(arguments[used]))
        except EvaluationError as error:
            raise EvaluationError(f"error during formatting: {error}") from None
        length += len(made[-1])
        if length > LONGEST_TEXT:
            raise CostLimitExceeded
        used += 1
    made.append(text[index:])
    return "".join(made)


def _clause(text: str, index: int) -> tuple[Callable[[Value], str], int]:
    """Parse the formatting clause that begins at the index `index` of a format string, such as ``.2f``.

    Return the function that formats an argument for the clause, and the index after the clause.
    """
    precision = _DEFAULT_PRECISION
    if text[index] == ".":
        precision, index = _precision(text, index + 1)
    verb = text[index]
    clauses: dict[str, Callable[[Value], str]] = {
        "s": _string,
        "d": _decimal,
        "f": lambda value: _fixed(_double(value, "fixed-point"), precision),
        "e": lambda value: _scientific(_double(value, "scientific"), precision),
        "b": _binary,
        "x": _hexadecimal,
        "X": lambda value: _hexadecimal(value).upper(),
        "o": _octal,
    }
    if verb not in clauses:
        # As in Kubernetes, the error message contains only the first byte of the unknown clause.
        shown = chr(verb.encode()[0])
        raise EvaluationError(f'could not parse formatting clause: unrecognized formatting clause "{shown}"')
    return clauses[verb], index + 1


def _precision(text: str, index: int) -> tuple[int, int]:
    start = index
    while index < len(text) and "0" <= text[index] <= "9":
        index += 1
    if index == len(text):
        raise EvaluationError(
            "could not parse formatting clause: error while parsing precision: "
            "could not find end of precision specifier"
        )
    digits = text[start:index]
    problem = "" if digits and len(digits.lstrip("0")) < 19 else "value out of range" if digits else "invalid syntax"
    if problem:
        raise EvaluationError(
            "could not parse formatting clause: error while parsing precision: error while converting precision to "
            f'integer: strconv.Atoi: parsing "{digits}": {problem}'
        )
    return int(digits), index


def _given(value: Value) -> str:
    return f"was given {kind_of(value)}"


def _string(value: Value) -> str:
    if value is None:
        return "null"
    if is_list(value):
        return _list(value)
    if kind_of(value) == "map":
        return _map(value)
    if not isinstance(value, _PRINTABLE):
        raise EvaluationError(f"string clause can only be used on {_STRING_KINDS}, {_given(value)}")
    try:
        return _text_of(value)
    except EvaluationError as error:
        raise EvaluationError(f"could not convert argument {quoted(str(error))} to string") from None


def _text_of(value: Value) -> str:
    """Convert a value to a string, as the CEL function ``string`` does. Raises EvaluationError for invalid UTF-8."""
    if isinstance(value, TypeValue):
        return value.name
    kind = kind_of(value).rpartition(".")[2].lower()
    text = CONVERSIONS["string"][f"({kind}): string"](value)
    assert isinstance(text, str)
    return text


def _list(value: Value) -> str:
    assert isinstance(value, Sequence)
    return f"[{', '.join(map(_part, value))}]"


def _part(value: Value) -> str:
    """Format a value that is inside a list or map, in the syntax of CEL literals."""
    if isinstance(value, Timestamp | Duration):
        name = "timestamp" if isinstance(value, Timestamp) else "duration"
        return f"{name}({quoted(_text_of(value))})"
    if isinstance(value, float):
        if math.isfinite(value):
            return f"{value:.6f}"
        return '"NaN"' if math.isnan(value) else '"+Inf"' if value > 0 else '"-Inf"'
    if not (value is None or isinstance(value, _PRINTABLE) or is_list(value) or kind_of(value) == "map"):
        raise EvaluationError(f"no formatting function for {kind_of(value)}")
    text = _string(value)
    if isinstance(value, str):
        return quoted(text)
    return f"b{quoted(text)}" if isinstance(value, bytes) else text


def _map(value: Value) -> str:
    assert isinstance(value, dict | MapValue)
    pairs: list[tuple[str, str]] = []
    for key in value:
        if not isinstance(key, str | int):
            raise EvaluationError(f"no formatting function for map key of type {kind_of(key)}")
        pairs.append((_part(key), _part(value_of_key(value, key))))
    pairs.sort(key=lambda pair: pair[0])
    return f"{{{', '.join(f'{key}:{held}' for key, held in pairs)}}}"


def _decimal(value: Value) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise EvaluationError(f"decimal clause can only be used on integers, {_given(value)}")
    return str(int(value))


def _double(value: Value, clause: str) -> float:
    if isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    if not isinstance(value, float):
        raise EvaluationError(f"{clause} clause can only be used on doubles, {_given(value)}")
    return value


def _fixed(number: float, precision: int) -> str:
    if precision // 10 > _MOST_PRECISION:
        return "%!(NOVERB)"
    if not math.isfinite(number):
        return _not_finite(number)
    # A very large precision overflows: Go stores the minimum number of digits in 8 bits, and the maximum in 16 bits.
    least, most = precision % 2**8, precision % 2**16
    whole, _, fraction = f"{abs(number):.{most}f}".partition(".")
    fraction = fraction.rstrip("0").ljust(least, "0")[: max(least, len(fraction.rstrip("0")))]
    return f"{'-' if number < 0 else ''}{int(whole):,}{'.' if fraction else ''}{fraction}"


def _scientific(number: float, width: int) -> str:
    if width // 10 > _MOST_PRECISION:
        return "%!(NOVERB)"
    if math.isfinite(number):
        digits, _, exponent = f"{number or 0.0:.6e}".partition("e")
        power = f"{int(exponent):03d}" if exponent.startswith("-") else f"{int(exponent):02d}"
        text = f"{digits}×10{power.translate(_SUPERSCRIPTS)}"  # noqa: RUF001 - as cel-go writes it
    else:
        text = _not_finite(number)
    # For scientific notation, Kubernetes uses the precision as the minimum width of the text.
    return text.rjust(width % 2**16)


def _not_finite(number: float) -> str:
    return "NaN" if math.isnan(number) else "∞" if number > 0 else "-∞"


def _binary(value: Value) -> str:
    if not isinstance(value, int):
        raise EvaluationError(f"only integers and bools can be formatted as binary, {_given(value)}")
    return format(int(value), "b")


def _hexadecimal(value: Value) -> str:
    if isinstance(value, str):
        return value.encode().hex()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, bool) or not isinstance(value, int):
        raise EvaluationError(f"only integers, byte buffers, and strings can be formatted as hex, {_given(value)}")
    return format(int(value), "x")


def _octal(value: Value) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise EvaluationError(f"octal clause can only be used on integers, {_given(value)}")
    return format(int(value), "o")
