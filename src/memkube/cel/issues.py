"""Compile errors of an expression, formatted as cel-go does (``common/error.go``, ``common/errors.go``)."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

_MOST_ISSUES: Final = 100
_LONGEST_LINE: Final = 16384


@dataclass(frozen=True, slots=True)
class Issue:
    """An error message with its line (counted from 1) and column (counted from 0)."""

    line: int
    column: int
    message: str


class Source:
    """The text of an expression, split into lines for error messages."""

    __slots__ = ("lines", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines[:-1])]

    def issue(self, offset: int, message: str) -> Issue:
        """Create a compile error with a message, located at a character offset in the expression."""
        line = bisect_right(self.starts, offset)
        return Issue(line, offset - self.starts[line - 1], message)

    def formatted(self, issues: list[Issue]) -> str:
        """Return a text with the first errors of `issues`, sorted by position, and the number of those left out.

        Each error is followed by its line of the expression, with a mark below the column.
        """
        ordered = sorted(issues[:_MOST_ISSUES], key=lambda issue: (issue.line, issue.column))
        shown = [self._draw(issue) for issue in ordered]
        if len(issues) > _MOST_ISSUES:
            shown.append(f"{len(issues) - _MOST_ISSUES} more errors were truncated")
        return "\n".join(shown)

    def _draw(self, issue: Issue) -> str:
        head = f"ERROR: <input>:{issue.line}:{issue.column + 1}: {issue.message}"
        if not self.text or not 1 <= issue.line <= len(self.lines):
            return head
        line = self.lines[issue.line - 1].replace("\t", " ")
        if len(line.encode()) > _LONGEST_LINE:
            return head
        dots = "".join("." if character.isascii() else "．" for character in line[: max(issue.column, 0)])  # noqa: RUF001 - cel-go's mark for wide characters
        under = line[issue.column : issue.column + 1]
        return f"{head}\n | {line}\n | {dots}{'^' if under.isascii() else '＾'}"  # noqa: RUF001 - as above
