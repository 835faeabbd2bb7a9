"""JSONPath as in kubectl and additionalPrinterColumns (client-go ``util/jsonpath``).

It has fields, indexes, slices, wildcards, recursive descent, unions and filters.
"""

import operator
import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias

from memkube.apimachinery.model import Document

Step: TypeAlias = Callable[[list[Any]], list[Any]]
"""Function that returns the values to which a part of a path leads from given values."""

_key = re.compile(r"'([^']*)'").fullmatch
_slice = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?").fullmatch
_comparison = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)", re.DOTALL).fullmatch
_number = re.compile(r"[+-]?[0-9.]*").match
_escape = re.compile(r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))|\\").sub
_CONTROLS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_TERMINATORS: Final = " \t\r\n.,[]$@{}"
_MOST: Final = 2**63
_COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class JsonPath:
    """A JSONPath such as ``.spec.containers[0].image``.

    Raises ValueError, with client-go's message, if the text is not a path.
    """

    def __init__(self, text: str) -> None:
        self._paths = _Parser(f"{{{text}}}").template()

    def find(self, document: Document) -> list[Any]:
        """Return the values at the path.

        The result is empty if a key on the path is missing, or if client-go returns an error, such as for an index out
        of bounds.
        """
        try:
            # The text may close its brace, and have further paths: their values do not count, but their errors do.
            found, *_ = [follow([document]) for follow in self._paths]
        except _CannotEvaluate:
            return []
        return found


class _CannotEvaluate(Exception):
    """Raised if a path cannot be followed. `values` are those that client-go returns together with the error."""

    def __init__(self, values: list[Any]) -> None:
        super().__init__()
        self.values = values


class _Parser:
    """Parser of a template: text with paths in braces."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def template(self) -> list[Step]:
        """Return a step for each path in the template, in order."""
        paths: list[Step] = []
        while (brace := self._text.find("{", self._at)) >= 0:
            self._at = brace + 1
            paths.append(_following(self._path()))
        return paths

    def _path(self) -> list[Step]:
        """Return the steps of the path up to its closing brace."""
        steps: list[Step] = []
        while not self._skips("}"):
            if self._skips("[?("):
                steps.append(self._filter())
            elif self._skips(".."):
                if steps and steps[-1] is _descend:
                    raise ValueError("invalid multiple recursive descent")
                steps.append(_descend)
                if self._is_word(self._peek()):
                    steps.append(self._field())
            else:
                steps += self._step()
        return steps

    def _step(self) -> Sequence[Step]:
        char = self._next()
        if char in ("", "\r", "\n"):
            raise ValueError("unclosed action")
        if char in " @$":
            return ()
        if char == "[":
            return (self._array(),)
        if char in "\"'":
            quoted = self._quoted(char)
            return (lambda _: [quoted],)
        if char == ".":
            return (self._field(),)
        self._at -= 1
        if char in "+-" or char.isdecimal():
            return (_constant(self._numeral()),)
        if self._is_word(char):
            return (self._identifier(),)
        shown = f" '{char}'" if char.isprintable() else ""
        raise ValueError(f"unrecognized character in action: U+{ord(char):04X}{shown}")

    def _field(self) -> Step:
        name = self._until_terminator(escapes=True)
        return _children if name == "*" else _field(name.replace("\\", ""))

    def _identifier(self) -> Step:
        word = self._until_terminator(escapes=False)
        return _constant(word == "true") if word in ("true", "false") else _fail

    def _numeral(self) -> int | float:
        found = _number(self._text, self._at)
        assert found is not None
        self._at = found.end()
        text = found[0]
        try:
            return int(text) if "." not in text and -_MOST <= int(text) < _MOST else float(text)
        except ValueError:
            raise ValueError(f"cannot parse number {text}") from None

    def _quoted(self, quote: str) -> str:
        begin = self._at - 1
        while True:
            char = self._next()
            if char in ("", "\n"):
                raise ValueError("unterminated quoted string")
            if char == quote and self._text[self._at - 2] != "\\":
                return _unquoted(self._text[begin : self._at])

    def _array(self) -> Step:
        end = self._text.find("]", self._at)
        if end < 0 or "\n" in self._text[self._at : end]:
            raise ValueError("unterminated array")
        text, self._at = self._text[self._at : end], end + 1
        if text == "*":
            text = ":"
        if "," in text:
            return _union([_parsed(f"[{part.strip(' ')}]") for part in text.split(",")])
        if found := _key(text):
            return _parsed(f".{found[1]}")
        found = _slice(text)
        if found is None:
            raise ValueError(f"invalid array index {text}")
        first, last, step = map(_bound, found.groups())
        return _element(first or 0) if found[2] is None else _sliced(first or 0, last, step)

    def _filter(self) -> Step:
        begin = self._at
        quote = ""
        is_closed = False
        while (char := self._next()) != ")" or (quote and not is_closed):
            if char in ("", "\n"):
                raise ValueError("unterminated filter")
            if char in "\"'" and not quote:
                quote = char
            elif char == quote and self._text[self._at - 2] != "\\":
                is_closed = True
        text = self._text[begin : self._at - 1]
        if self._next() != "]":
            raise ValueError("unclosed array expect ]")
        found = _comparison(text)
        if found is None:
            return _existing(_parsed(text))
        return _matching(_parsed(found[1]), found[2], _parsed(found[3]))

    def _until_terminator(self, *, escapes: bool) -> str:
        begin = self._at
        while (char := self._next()) and char not in _TERMINATORS:
            if escapes and char == "\\":
                self._next()
        self._at -= len(char)
        return self._text[begin : self._at]

    def _skips(self, text: str) -> bool:
        """Skip `text` if it comes next. Returns True if it did."""
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        """Return the next character, and go behind it; empty at the end of the text."""
        char = self._peek()
        self._at += len(char)
        return char

    @staticmethod
    def _is_word(char: str) -> bool:
        return char == "_" or char.isalpha() or char.isdecimal()


def _parsed(path: str) -> Step:
    return _Parser(f"{{{path}}}").template()[0]


def _bound(text: str | None) -> int | None:
    """Return a number of a slice; None if the slice does not have it."""
    digits = (text or "").removeprefix(":")
    if digits == "-":
        raise ValueError(f"array index {digits} is not a number")
    return int(digits) if digits else None


def _unquoted(text: str) -> str:
    """Return the text in quotes, with Go's escape sequences replaced (``strconv.UnquoteChar``)."""

    def replaced(found: re.Match[str]) -> str:
        control, *codes, octal = found.groups()
        code = next((int(digits, 16) for digits in codes if digits), int(octal or "0", 8))
        is_valid = control is None or control not in "\"'" or control == text[0]
        if not any(found.groups()) or not is_valid or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise ValueError(f"unquote string {text} error invalid syntax")
        return _CONTROLS.get(control, control) if control else chr(code)

    return _escape(replaced, text[1:-1])


def _following(steps: Sequence[Step]) -> Step:
    def follow(values: list[Any]) -> list[Any]:
        for step in steps:
            values = step(values)
        return values

    return follow


def _constant(value: Any) -> Step:
    return lambda values: [value for _ in values]


def _fail(values: list[Any]) -> list[Any]:
    raise _CannotEvaluate(values)


def _field(name: str) -> Step:
    return lambda values: [value[name] for value in values if isinstance(value, dict) and name in value]


def _element(index: int) -> Step:
    def element(values: list[Any]) -> list[Any]:
        lists = _lists(values)
        if not all(-len(items) <= index < len(items) for items in lists):
            raise _CannotEvaluate(values)
        return [items[index] for items in lists]

    return element


def _sliced(first: int, last: int | None, step: int | None) -> Step:
    def sliced(values: list[Any]) -> list[Any]:
        found: list[Any] = []
        for items in _lists(values):
            length = len(items)
            begin = first + length * (first < 0)
            end = length if last is None else last + length * (last < 0)
            if begin == end:
                break
            if not 0 <= begin < end <= length or (step is not None and step <= 0):
                raise _CannotEvaluate(values)
            found += items[begin : end : step or 1]
        return found

    return sliced


def _lists(values: list[Any]) -> list[list[Any]]:
    """Return the values that are not null. Raises _CannotEvaluate if one of these is not a list."""
    lists = [value for value in values if value is not None]
    if not all(isinstance(value, list) for value in lists):
        raise _CannotEvaluate(values)
    return lists


def _union(parts: Sequence[Step]) -> Step:
    def either(values: list[Any]) -> list[Any]:
        try:
            return list(chain.from_iterable(part(values) for part in parts))
        except _CannotEvaluate:
            raise _CannotEvaluate(values) from None

    return either


def _existing(inner: Step) -> Step:
    def exists(item: Any) -> bool:
        try:
            return bool(inner([item]))
        except _CannotEvaluate as error:
            # client-go ignores the error, and looks at what was found so far.
            return bool(error.values)

    return lambda values: [item for value in values for item in _filtered(value, values) if exists(item)]


def _matching(left: Step, comparison: str, right: Step) -> Step:
    def holds(item: Any, values: list[Any]) -> bool:
        lefts = left([item])
        if not lefts:
            return False
        rights = right([item])
        if not rights:
            return False
        if len(lefts) > 1 or len(rights) > 1 or comparison not in _COMPARED:
            raise _CannotEvaluate(values)
        one, other = lefts[0], rights[0]
        is_ordered = comparison in ("==", "!=") or not isinstance(one, bool)
        if type(one) is not type(other) or not isinstance(one, bool | int | float | str) or not is_ordered:
            raise _CannotEvaluate(values)
        return _COMPARED[comparison](one, other)

    return lambda values: [item for value in values for item in _filtered(value, values) if holds(item, values)]


def _filtered(value: Any, values: list[Any]) -> list[Any]:
    """Return a list to which a filter is applied. Raises _CannotEvaluate for any other value."""
    if not isinstance(value, list):
        raise _CannotEvaluate(values)
    return value


def _children(values: list[Any]) -> list[Any]:
    """Return the values of objects (sorted by key), the items of lists, and the bytes of strings."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            found += [value[key] for key in sorted(value)]
        elif isinstance(value, list):
            found += value
        elif isinstance(value, str):
            found += value.encode()
    return found


def _descend(values: list[Any]) -> list[Any]:
    """Return the objects, lists and strings among the values and within them, unless they are empty."""
    found: list[Any] = []
    for value in values:
        if inner := _children([value]):
            found += [value, *_descend(inner)]
    return found
