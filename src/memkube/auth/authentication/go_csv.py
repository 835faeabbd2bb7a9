"""Reads CSV as Go's ``encoding/csv`` does, with its error messages."""

from collections.abc import Iterator
from typing import Final

_COMMA: Final = ","
_QUOTE: Final = '"'
_BARE_QUOTE: Final = 'bare " in non-quoted-field'
_LONE_QUOTE: Final = 'extraneous or missing " in quoted-field'


class ParseError(ValueError):
    """Raised for a misplaced quote."""


def read_records(text: str) -> Iterator[list[str]]:
    """Yield the records of a text, each with one string per field. Lines that are empty are skipped.

    Raises ParseError with Go's message for a misplaced quote.
    """
    reader = _Reader(text)
    while (record := reader.record()) is not None:
        yield record


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = _lines(text)
        self._next = 0
        """Index of the next line. It is also the number of the current line in errors, which counts from 1."""
        self._start = 0
        """Number of the line on which the current record starts."""

    def record(self) -> list[str] | None:
        """Return the next record; None after the last one."""
        line = "\n"
        while line == "\n":
            if self._next >= len(self._lines):
                return None
            line = self._line()
        self._start = self._next
        fields: list[str] = []
        column = 0
        while True:
            if not line.startswith(_QUOTE, column):
                end = line.find(_COMMA, column)
                field = line[column:end] if end >= 0 else line[column:].removesuffix("\n")
                if _QUOTE in field:
                    raise self._error(line, column + field.index(_QUOTE), _BARE_QUOTE)
                fields.append(field)
                if end < 0:
                    return fields
                column = end + 1
            else:
                field, line, column, is_last = self._quoted(line, column + 1)
                fields.append(field)
                if is_last:
                    return fields

    def _quoted(self, line: str, column: int) -> tuple[str, str, int, bool]:
        """Read the rest of a quoted field, from `column`, the column after its opening quote.

        Return the field, the line on which it ends, the column of the next field, and True if there is no next field.
        """
        parts: list[str] = []
        while True:
            end = line.find(_QUOTE, column)
            if end >= 0:
                parts.append(line[column:end])
                column = end + 1
                if line.startswith(_QUOTE, column):
                    parts.append(_QUOTE)
                    column += 1
                elif line.startswith(_COMMA, column):
                    return "".join(parts), line, column + 1, False
                elif line[column:] in ("", "\n"):
                    return "".join(parts), line, column, True
                else:
                    raise self._error(line, column - 1, _LONE_QUOTE)
            elif column < len(line):
                parts.append(line[column:])
                if self._next >= len(self._lines):
                    raise self._error(line, len(line), _LONE_QUOTE)
                line, column = self._line(), 0
            else:
                raise self._error(line, column, _LONE_QUOTE)

    def _line(self) -> str:
        self._next += 1
        return self._lines[self._next - 1]

    def _error(self, line: str, column: int, what: str) -> ParseError:
        """Return the error for a column of the current line. Columns count bytes from 1."""
        number = len(line[:column].encode()) + 1
        where = f"parse error on line {self._next}, column {number}: {what}"
        return ParseError(f"record on line {self._start}; {where}" if self._start != self._next else where)


def _lines(text: str) -> list[str]:
    """Split a text after each line feed, which also replaces a carriage return before it.

    Unlike ``str.splitlines``, no other character ends a line.
    """
    *lines, last = (line.removesuffix("\r") for line in text.split("\n"))
    ended = [f"{line}\n" for line in lines]
    return [*ended, last] if last else ended
