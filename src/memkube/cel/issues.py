"""What is wrong with an expression and where, drawn as cel-go draws it (``common/error.go``, ``common/errors.go``)."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

_MOST_ISSUES: Final = 100
_LONGEST_LINE: Final = 16384


@dataclass(frozen=True, slots=True)
class Issue:
    """A message about a line, counted from one, and a column, counted from zero."""

    line: int
    column: int
    message: str


class Source:
    """The text of an expression, by lines."""

    __slots__ = ("lines", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines[:-1])]

    def issue(self, offset: int, message: str) -> Issue:
        """A message about what is so many characters behind the beginning."""
        line = bisect_right(self.starts, offset)
        return Issue(line, offset - self.starts[line - 1], message)

    def drawn(self, issues: list[Issue]) -> str:
        """All issues by their places, each with its line and a mark below it."""
        ordered = sorted(issues, key=lambda issue: (issue.line, issue.column))
        shown = [self._draw(issue) for issue in ordered[:_MOST_ISSUES]]
        if len(ordered) > _MOST_ISSUES:
            shown.append(f"{len(ordered) - _MOST_ISSUES} more errors were truncated")
        return "\n".join(shown)

    def _draw(self, issue: Issue) -> str:
        head = f"ERROR: <input>:{issue.line}:{issue.column + 1}: {issue.message}"
        if not self.text or not 1 <= issue.line <= len(self.lines):
            return head
        line = self.lines[issue.line - 1].replace("\t", " ")
        if len(line.encode()) > _LONGEST_LINE:
            return head
        dots = "".join("." if character.isascii() else "．" for character in line[: max(issue.column, 0)])  # noqa: RUF001 - the reference's mark below wide characters
        under = line[issue.column : issue.column + 1]
        return f"{head}\n | {line}\n | {dots}{'^' if under.isascii() else '＾'}"  # noqa: RUF001 - as above
