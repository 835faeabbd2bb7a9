"""Values in templates: their kinds, truth, order and text (Go's ``text/template/funcs.go`` and ``fmt``)."""

import json
import math
from collections.abc import Hashable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple


class TemplateError(Exception):
    """Raised if a template cannot be rendered. The message has one line."""


class Number(str):
    """A number in the JSON data of a template (Go's ``json.Number``). As in KWOK, it is compared as a string."""

    __slots__ = ()


class Int64(int):
    """An integer of Go's type ``int64``, such as the result of Sprig's ``add``. Some functions accept only ``int``."""

    __slots__ = ()


class GoTime(NamedTuple):
    """A time in a template (Go's ``time.Time``), in nanoseconds since 1970 in UTC."""

    nanoseconds: int
    offset_seconds: int = 0
    """UTC offset of the time zone in which the time is printed."""
    zone: str = "UTC"
    """Name of this time zone; empty if it has only an offset."""

    def __str__(self) -> str:
        """Return the time as Go prints it, such as ``2026-01-02 03:04:05.5 +0000 UTC``."""
        return f"{self._local(' ')} {self._offset('')} {self.zone or self._offset('')}"

    @property
    def rfc3339(self) -> str:
        """The time as Go writes it in JSON."""
        return self._local("T") + (self._offset(":") if self.offset_seconds else "Z")

    def _local(self, separator: str) -> str:
        seconds, fraction = divmod(self.nanoseconds, 10**9)
        try:
            local = _EPOCH + timedelta(seconds=seconds + self.offset_seconds)
        except OverflowError:
            raise TemplateError("the year of the time is not in the range 1 to 9999") from None
        return local.replace(tzinfo=None).isoformat(separator) + f".{fraction:09}".rstrip("0").rstrip(".")

    def _offset(self, separator: str) -> str:
        minutes = abs(self.offset_seconds) // 60
        return f"{'-' if self.offset_seconds < 0 else '+'}{minutes // 60:02}{separator}{minutes % 60:02}"


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def load_data(data: bytes) -> Any:
    """Parse the JSON data of a template. Numbers become Number, so that they are printed as written in JSON."""
    return json.loads(data, parse_int=Number, parse_float=Number)


def kind(value: Any) -> str:
    """Return the kind of a value in a Go template: bool, int, float, string, slice, map, struct (a time) or nil."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "bool"
    names = ((int, "int"), (float, "float"), (str, "string"), (list, "slice"), (dict, "map"), (GoTime, "struct"))
    for type_, name in names:
        if isinstance(value, type_):
            return name
    raise TemplateError(f"a value of the Python type {type(value).__name__} has no kind in templates")


def go_kind(value: Any) -> str:
    """Return the kind of a value as Go's package ``reflect`` names it, such as ``int64``."""
    names = {"nil": "invalid", "float": "float64"}
    return "int64" if isinstance(value, Int64) else names.get(kind(value), kind(value))


def deep_equal(one: Any, other: Any) -> bool:
    """Return True if two values have the same types and contents (Go's ``reflect.DeepEqual``)."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(deep_equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(deep_equal(one[key], other[key]) for key in one)
    return bool(one == other)


def equality_key(value: Any) -> Hashable:
    """Return a key that is equal for values that `deep_equal` finds equal, and for no others."""
    if isinstance(value, list):
        return list, tuple(map(equality_key, value))
    if isinstance(value, dict):
        return dict, frozenset((name, equality_key(each)) for name, each in value.items())
    # A number that is NaN equals no other, not even itself.
    return object() if value != value else (type(value), value)


def is_true(value: Any) -> bool:
    """Return True unless a value is nil, zero, false or empty, as in Go's templates."""
    return bool(value)


def shown(value: Any, *, nested: bool = False) -> str:
    """Return a value as Go's ``%v`` prints it.

    A nil is ``<no value>``, or ``<nil>`` if it is inside of another value (`nested`).
    """
    if value is None:
        return "<nil>" if nested else "<no value>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, list):
        return f"[{' '.join(shown(each, nested=True) for each in value)}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{shown(value[key], nested=True)}' for key in sorted(value))}]"
    return str(value)


def go_float(number: float) -> str:
    """Return a float as Go's ``%v`` prints it.

    The form with an exponent, such as ``1e+06``, is used if the exponent is less than -4 or greater than 5.
    """
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "+Inf" if number > 0 else "-Inf"
    text = repr(number)
    mantissa, mark, exponent = f"{number:e}".partition("e")
    if number == 0 or -4 <= int(exponent) < 6:
        return text.removesuffix(".0")
    digits = len(text.partition("e")[0].lstrip("-0.").replace(".", "").rstrip("0")) - 1
    mantissa, mark, exponent = f"{number:.{max(digits, 0)}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}{mark}{int(exponent):+03d}"


def equals(first: Any, others: tuple[Any, ...]) -> bool:
    """Return True if `first` equals one of the values in `others`, as Go's template function ``eq`` does.

    Raises TemplateError for values that cannot be compared.
    """
    if not others:
        raise TemplateError("missing argument for comparison")
    for other in others:
        kinds = kind(first), kind(other)
        if not {"slice", "map"}.isdisjoint(kinds) and "nil" not in kinds:
            raise TemplateError(f"non-comparable types {kinds[0]}: {shown(first)}, {kinds[1]}: {shown(other)}")
        if kinds[0] != kinds[1] and "nil" not in kinds:
            raise TemplateError("incompatible types for comparison")
        if first == other and kinds[0] == kinds[1]:
            return True
    return False


def is_less(first: Any, second: Any) -> bool:
    """Return True if a value is less than another one, as Go's ``lt``.

    Raises TemplateError for values that have no order.
    """
    kinds = kind(first), kind(second)
    if not {"slice", "map", "nil", "bool", "struct"}.isdisjoint(kinds):
        raise TemplateError("invalid type for comparison")
    if kinds[0] != kinds[1]:
        raise TemplateError("incompatible types for comparison")
    less: bool = first < second
    return less


def quoted(text: str) -> str:
    """Return a text in double quotes with Go's escapes (``strconv.Quote``)."""
    escapes = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v"}
    escapes |= {'"': r"\"", "\\": r"\\"}
    return f'"{"".join(escapes.get(letter) or _printable(letter) for letter in text)}"'


def _printable(letter: str) -> str:
    if letter.isprintable():
        return letter
    code = ord(letter)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def to_json(value: Any, *, indent: str = "", escapes_html: bool = True) -> str:
    """Return a value as JSON, written as Go's encoder does.

    With an `indent`, each item of a list and each entry of a map is on a line of its own. `escapes_html` is True to
    escape ``<``, ``>`` and ``&`` in texts. Raises TemplateError for infinite numbers.
    """
    return _Json(indent, escapes_html=escapes_html).text(value, "\n" if indent else "")


class _Json:
    """Encoder of values as JSON, with or without line breaks and indentation."""

    def __init__(self, indent: str, *, escapes_html: bool) -> None:
        self._indent = indent
        self._escaped = "<>&\u2028\u2029" if escapes_html else "\u2028\u2029"

    def text(self, value: Any, line: str) -> str:
        """Return a value as JSON. `line` is the line break with the indentation of the line on which it begins."""
        if isinstance(value, Number):
            return str(value)
        if isinstance(value, float):
            return _json_float(value)
        if isinstance(value, GoTime):
            return self.text(value.rfc3339, line)
        below = line + self._indent
        if isinstance(value, list):
            return self._block("[", [self.text(each, below) for each in value], "]", line)
        if isinstance(value, dict):
            colon = ": " if self._indent else ":"
            entries = [f"{self.text(key, below)}{colon}{self.text(value[key], below)}" for key in sorted(value)]
            return self._block("{", entries, "}", line)
        text = json.dumps(value, ensure_ascii=False)
        for letter in self._escaped:
            text = text.replace(letter, f"\\u{ord(letter):04x}")
        return text

    def _block(self, start: str, parts: list[str], end: str, line: str) -> str:
        if not parts:
            return start + end
        below = line + self._indent
        return f"{start}{below}{f',{below}'.join(parts)}{line}{end}"


def _json_float(number: float) -> str:
    if not math.isfinite(number):
        raise TemplateError(f"json: unsupported value: {go_float(number)}")
    if number == 0:
        return "0" if math.copysign(1, number) > 0 else "-0"
    if _SMALL <= abs(number) < _LARGE:
        text = f"{Decimal(repr(number)):f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, _, exponent = repr(number).partition("e")
    # Go writes negative exponents with as few digits as possible.
    return f"{mantissa}e{int(exponent):+03d}".replace("e-0", "e-")


_SMALL: Final = 1e-6
_LARGE: Final = 1e21
"""Go writes numbers in JSON with an exponent if they are at least `_LARGE`, or less than `_SMALL`."""


def to_yaml(value: Any) -> str:
    """Return a value as YAML in block style, with a line break at the end. Strings are quoted as in JSON."""
    return "".join(f"{line}\n" for line in _yaml_lines(value))


def _yaml_lines(value: Any) -> list[str]:
    if isinstance(value, dict) and value:
        lines = []
        for key in sorted(value):
            below = _yaml_lines(value[key])
            if isinstance(value[key], (dict, list)) and value[key]:
                pad = "  " if isinstance(value[key], dict) else ""
                lines += [f"{to_json(key)}:", *(pad + line for line in below)]
            else:
                lines.append(f"{to_json(key)}: {below[0]}")
        return lines
    if isinstance(value, list) and value:
        lines = []
        for each in value:
            first, *rest = _yaml_lines(each)
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
        return lines
    return [to_json(value)]
