"""Parser for words of shell scripts: quotes, parameters, arithmetic and command substitution."""

import re
from collections.abc import Callable
from typing import Final

from memkube.controllers.kubelet.programs.program import NotSimulated
from memkube.controllers.kubelet.programs.syntax import (
    Arithmetic,
    Part,
    Sequence,
    Substitution,
    Text,
    Variable,
    Word,
)

_VARIABLE: Final = re.compile(
    r"\$(?:([A-Za-z_][A-Za-z0-9_]*|[?#$0-9])|\{([A-Za-z_][A-Za-z0-9_]*|[?#0-9])(?:(:?[-?]|%%?|##?)([^{}$`'\"\\]*))?\})"
)
_BACKQUOTED: Final = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_ESCAPED_IN_BACKQUOTES: Final = re.compile(r"\\([$`\\])")
_PLAIN: Final = re.compile(r"[^\s;&|()<>'\"\\$`]+")
_IN_QUOTES: Final = re.compile(r"[^\"\\$`]+")
_ESCAPED_IN_QUOTES: Final = frozenset('$`"\\')
_ENDS: Final = frozenset(" \t\n;&|()<>")


class WordReader:
    """Parses the word that begins at a position of a shell script.

    `parse` parses the commands in ``$(…)`` and in backquotes.
    """

    def __init__(self, text: str, position: int, parse: Callable[[str], Sequence]) -> None:
        self._text = text
        self.position = position
        self._parse = parse

    def read(self) -> Word:
        """Parse the shell word, and set `position` to its end. Raises NotSimulated for syntax that is not simulated."""
        parts: list[Part] = []
        while self.position < len(self._text) and self._text[self.position] not in _ENDS:
            parts += self._part()
        if not parts:
            raise NotSimulated("a word is missing in a shell script")
        return tuple(parts)

    def _part(self) -> list[Part]:
        match self._text[self.position]:
            case "'":
                return [self._single_quoted()]
            case '"':
                return self._double_quoted()
            case "\\":
                escaped = self._text[self.position + 1 : self.position + 2]
                self.position += 2
                return [] if escaped == "\n" else [Text(escaped, quoted=True)]
            case "$":
                return [self._expansion(quoted=False)]
            case "`":
                return [self._backquoted(quoted=False)]
            case "~" if self._begins_word():
                raise NotSimulated("~ is not simulated")
        return [Text(self._take(_PLAIN))]

    def _single_quoted(self) -> Text:
        end = self._text.find("'", self.position + 1)
        if end < 0:
            raise NotSimulated("unterminated quote")
        text = self._text[self.position + 1 : end]
        self.position = end + 1
        return Text(text, quoted=True)

    def _double_quoted(self) -> list[Part]:
        self.position += 1
        parts: list[Part] = [Text("", quoted=True)]
        while self.position < len(self._text):
            match self._text[self.position]:
                case '"':
                    self.position += 1
                    return parts
                case "$":
                    parts.append(self._expansion(quoted=True))
                case "\\":
                    parts.append(Text(self._escape_in_quotes(), quoted=True))
                case "`":
                    parts.append(self._backquoted(quoted=True))
                case _:
                    parts.append(Text(self._take(_IN_QUOTES), quoted=True))
        raise NotSimulated("unterminated quote")

    def _escape_in_quotes(self) -> str:
        escaped = self._text[self.position + 1 : self.position + 2]
        self.position += 2
        if escaped == "\n":
            return ""
        return escaped if escaped in _ESCAPED_IN_QUOTES else f"\\{escaped}"

    def _expansion(self, *, quoted: bool) -> Part:
        if self._text.startswith("$((", self.position):
            return Arithmetic(self._bracketed("$((", "))"), quoted)
        if self._text.startswith("$(", self.position):
            return Substitution(self._parse(self._bracketed("$(", ")")), quoted)
        found = _VARIABLE.match(self._text, self.position)
        if found:
            self.position = found.end()
            return Variable(found[1] or found[2], quoted, found[3] or "", found[4] or "")
        following = self._text[self.position + 1 : self.position + 2]
        if following in ("{", "@", "*", "!", "-"):
            raise NotSimulated(f"${following} is not simulated in this form")
        self.position += 1
        return Text("$", quoted)

    def _backquoted(self, *, quoted: bool) -> Substitution:
        found = _BACKQUOTED.match(self._text, self.position)
        if not found:
            raise NotSimulated("unterminated backquote")
        self.position = found.end()
        return Substitution(self._parse(_ESCAPED_IN_BACKQUOTES.sub(r"\1", found[1])), quoted)

    def _begins_word(self) -> bool:
        return self.position == 0 or self._text[self.position - 1] in _ENDS

    def _bracketed(self, opening: str, closing: str) -> str:
        """Return the text between an opening and its closing bracket. Brackets may be nested."""
        start = self.position + len(opening)
        depth, at = len(closing), start
        while at < len(self._text):
            depth += {"(": 1, ")": -1}.get(self._text[at], 0)
            at += 1
            if depth == 0:
                self.position = at
                return self._text[start : at - len(closing)]
        raise NotSimulated("unterminated bracket")

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self.position)
        assert found is not None
        self.position = found.end()
        return found[0]
