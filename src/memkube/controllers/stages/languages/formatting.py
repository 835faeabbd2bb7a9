"""Formatting of values in templates with the function ``printf`` (Go's ``fmt.Sprintf``)."""

import re
from collections.abc import Sequence
from typing import Any, Final

from memkube.controllers.stages.languages.template_values import (
    Int64,
    Number,
    TemplateError,
    go_float,
    quoted,
    shown,
)

_VERB: Final = re.compile(
    r"%(?P<flags>[-+# 0]*)(?P<width>\d*)(?:(?P<point>\.)(?P<precision>\d*))?(?P<verb>.?)", re.DOTALL
)
_WIDEST: Final = 1000
_LIST_OR_MAP: Final = (list, dict)


def printf(form: str, values: Sequence[Any]) -> str:
    """Format values like Go's ``fmt.Sprintf``.

    The verbs are v, s, q, d, t, x, X, o, b, c, U, e, E, f, F, g, G and T. As in Go, a verb that does not fit its value
    gives a text such as ``%!d(string=a)``. Raises TemplateError for formats that are not supported: indexes of
    arguments, widths from arguments, verbs of lists, maps and times other than v and s, ``%q`` of a character that Go
    would escape, and the flag ``#`` for floats.
    """
    left = list(values)
    found = "".join(_pieces(form, left))
    if left:
        return f"{found}%!(EXTRA {', '.join(map(_with_type, left))})"
    return found


def _with_type(value: Any) -> str:
    return "<nil>" if value is None else f"{go_type(value)}={shown(value, nested=True)}"


def _pieces(form: str, left: list[Any]) -> list[str]:
    """Return the parts of a formatted text. Removes the values that its verbs format from the list `left`."""
    pieces, last = [], 0
    for found in _VERB.finditer(form):
        pieces.append(form[last : found.start()])
        last = found.end()
        verb = found["verb"]
        if not verb:
            pieces.append("%!(NOVERB)")
        elif verb == "%":
            pieces.append("%")
        elif verb in "[*":
            raise TemplateError(f"printf: %{verb} is not supported")
        elif not left:
            pieces.append(f"%!{verb}(MISSING)")
        else:
            pieces.append(_Verb(found).formatted(left.pop(0)))
    return [*pieces, form[last:]]


def go_type(value: Any) -> str:
    """Return the name of the Go type of a value other than nil, such as ``json.Number``."""
    names = (
        *((bool, "bool"), (Int64, "int64"), (int, "int"), (float, "float64"), (Number, "json.Number")),
        *((str, "string"), (list, "[]interface {}"), (dict, "map[string]interface {}")),
    )
    return next((name for type_, name in names if isinstance(value, type_)), "time.Time")


class _Verb:
    """A verb in a format, such as ``%-5d``, with its flags, width and precision."""

    def __init__(self, found: re.Match[str]) -> None:
        self._text = found[0]
        self._verb = found["verb"]
        self._flags = found["flags"]
        self._width = min(int(found["width"] or 0), _WIDEST)
        self._precision = None if found["point"] is None else min(int(found["precision"] or 0), _WIDEST)

    def formatted(self, value: Any) -> str:
        """Return the formatted text of a value. Raises TemplateError if the verb of a list or map is not supported."""
        if self._verb == "T" and not isinstance(value, _LIST_OR_MAP):
            return self._padded("<nil>" if value is None else go_type(value))
        if value is None:
            return self._padded(f"%!{self._verb}(<nil>)" if self._verb != "v" else "<nil>")
        if isinstance(value, _LIST_OR_MAP):
            return self._padded(self._of_items(value))
        text = self._of_scalar(value)
        if text is None:
            return f"%!{self._verb}({_with_type(value)})"
        return text

    def _of_items(self, value: Any) -> str:
        items = value.values() if isinstance(value, dict) else value
        is_plain = self._verb == "v" or (self._verb == "s" and all(isinstance(each, str) for each in items))
        if not is_plain or "#" in self._flags or "+" in self._flags:
            raise TemplateError(f"printf: {self._text} of a list or map is not supported")
        return shown(value, nested=True)

    def _of_scalar(self, value: Any) -> str | None:
        """Return the text of a value that is no list or map; None if the verb does not fit the value."""
        if isinstance(value, bool):
            return self._padded(str(value).lower()) if self._verb in "vt" else None
        if isinstance(value, int):
            return self._of_int(value)
        if isinstance(value, float):
            return self._of_float(value)
        return self._of_text(str(value), is_time=not isinstance(value, str))

    def _of_text(self, text: str, *, is_time: bool) -> str | None:
        cut = text if self._precision is None else text[: self._precision]
        if self._verb == "s" or (self._verb == "v" and "#" not in self._flags):
            return self._padded(cut)
        if is_time:
            raise TemplateError(f"printf: {self._text} of a time is not supported")
        if self._verb in "qv":
            is_raw = "#" in self._flags and self._verb == "q" and "`" not in cut and cut.isprintable()
            return self._padded(f"`{cut}`" if is_raw else quoted(cut))
        if self._verb in "xX":
            data = cut.encode().hex(" ") if " " in self._flags else cut.encode().hex()
            return self._padded(data.upper() if self._verb == "X" else data)
        return None

    def _of_int(self, number: int) -> str | None:
        if self._verb in "cqU":
            return self._of_letter(number)
        bases = {"d": "d", "v": "d", "x": "x", "X": "X", "o": "o", "b": "b"}
        if self._verb not in bases:
            return None
        digits = format(abs(number), bases[self._verb])
        if self._precision is not None:
            digits = digits.rjust(self._precision, "0") if number or self._precision else ""
        prefix = {"x": "0x", "X": "0X", "o": "0", "b": "0b"}.get(self._verb, "") if "#" in self._flags else ""
        return self._number(self._sign(number < 0), prefix, digits, zeros=self._precision is None)

    def _of_letter(self, number: int) -> str | None:
        letter = chr(number) if 0 <= number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
        texts = {"c": letter, "U": f"U+{number:04X}", "q": f"'{letter}'"}
        if self._verb == "q" and (not letter.isprintable() or letter in "'\\"):
            raise TemplateError(f"printf: {self._text} of this character is not supported")
        return self._padded(texts[self._verb])

    def _of_float(self, number: float) -> str | None:
        if self._verb not in "vgGeEfF":
            return None
        if "#" in self._flags:
            raise TemplateError(f"printf: {self._text} of a float is not supported")
        if self._verb in "vgG" and self._precision is None:
            text = go_float(abs(number))
        else:
            verb = {"v": "g", "F": "f"}.get(self._verb, self._verb)
            text = format(abs(number), f".{6 if self._precision is None else self._precision}{verb}")
        text = text.upper() if self._verb in "GE" else text
        text = text.replace("inf", "Inf").replace("nan", "NaN")
        is_finite = text[0].isdigit()
        sign = self._sign(str(number).startswith("-"))
        return self._number(sign, "", text, zeros=is_finite)

    def _sign(self, is_negative: bool) -> str:
        return "-" if is_negative else "+" if "+" in self._flags else " " if " " in self._flags else ""

    def _number(self, sign: str, prefix: str, digits: str, *, zeros: bool) -> str:
        if zeros and "0" in self._flags and "-" not in self._flags:
            digits = digits.rjust(self._width - len(sign) - len(prefix), "0")
        return self._padded(f"{sign}{prefix}{digits}", zeros=False)

    def _padded(self, text: str, *, zeros: bool = True) -> str:
        if "-" in self._flags:
            return text.ljust(self._width)
        return text.rjust(self._width, "0" if zeros and "0" in self._flags else " ")
