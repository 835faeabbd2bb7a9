"""The command ``grep``. Its matcher takes time proportional to the length of a line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from memkube.controllers.kubelet.programs.input import Lines, options
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session

_FOUND, _NOT_FOUND, _TROUBLE = 0, 1, 2
_WORK_OF_A_SEARCH: Final = 5
_CHARACTERS_OF_WORK: Final = 20
_ATOM: Final = re.compile(r"\[\^?\]?(?:\[:[a-z]+:\]|[^\]])*\]|\\.|.", re.DOTALL)
_CLASS: Final = re.compile(r"\[:([a-z]+):\]")
_CLASSES: Final = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "blank": r" \t",
}
_SPECIAL: Final = frozenset("(){}")


class _Part(NamedTuple):
    """One character or character class in a regular expression, with its quantifier."""

    character: re.Pattern[str]
    may_lack: bool
    may_repeat: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """One alternative of a regular expression: a sequence of characters with quantifiers."""

    parts: tuple[_Part, ...]
    from_start: bool
    to_end: bool

    def matches(self, text: str) -> bool:
        """Return True if this alternative of a regular expression matches anywhere in a text.

        All states of the automaton are followed at once, so that the time is linear.
        """
        states = self._reached({0})
        for character in text:
            if len(self.parts) in states and not self.to_end:
                return True
            states = self._reached(
                {
                    after
                    for at in states
                    if at < len(self.parts) and self.parts[at].character.match(character)
                    for after in ((at, at + 1) if self.parts[at].may_repeat else (at + 1,))
                }
                | (set() if self.from_start else {0})
            )
        return len(self.parts) in states

    def _reached(self, states: set[int]) -> set[int]:
        for at in range(min(states, default=0), len(self.parts)):
            if at in states and self.parts[at].may_lack:
                states.add(at + 1)
        return states


class Pattern:
    """A regular expression with characters, classes, the operators ``* + ?``, anchors and ``|``.

    Raises NotSimulated for other syntax.
    """

    def __init__(self, text: str, *, extended: bool, fixed: bool, ignore_case: bool) -> None:
        self._flags = re.IGNORECASE if ignore_case else 0
        if fixed:
            parts = tuple(_Part(re.compile(re.escape(c), self._flags), False, False) for c in text)
            self._rows = [_Row(parts, from_start=False, to_end=False)]
        else:
            self._rows = [self._row(row, extended=extended) for row in _alternatives(text, extended=extended)]

    @property
    def size(self) -> int:
        """Number of single-character parts of the expression; the time to search a line grows with this number."""
        return sum(len(row.parts) for row in self._rows)

    def matches(self, text: str) -> bool:
        """Return True if the regular expression matches anywhere in a text."""
        return any(row.matches(text) for row in self._rows)

    def _row(self, text: str, *, extended: bool) -> _Row:
        from_start, to_end = text.startswith("^"), text.endswith("$") and not text.endswith("\\$")
        text = text[from_start : len(text) - to_end]
        parts: list[_Part] = []
        for atom in _ATOM.findall(text):
            times = atom if extended else {"\\+": "+", "\\?": "?", "*": "*"}.get(atom, "")
            if times in ("*", "+", "?") and parts:
                last = parts.pop()
                parts.append(_Part(last.character, last.may_lack or times in "*?", last.may_repeat or times in "*+"))
            elif atom in (_SPECIAL if extended else {"\\(", "\\)", "\\{", "\\}", "\\|"}):
                raise NotSimulated(f"grep with {atom} in its pattern is not simulated")
            else:
                parts.append(_Part(self._character(atom), may_lack=False, may_repeat=False))
        return _Row(tuple(parts), from_start, to_end)

    def _character(self, atom: str) -> re.Pattern[str]:
        if atom.startswith("[") and len(atom) > 1:
            inner = atom[1:-1].replace("\\", "\\\\")
            if any(name not in _CLASSES for name in _CLASS.findall(inner)):
                raise NotSimulated(f"grep with {atom} in its pattern is not simulated")
            shown = "[" + _CLASS.sub(lambda found: _CLASSES[found[1]], inner).replace("[", r"\[") + "]"
        elif atom in (".", r"\w", r"\s", r"\d", r"\W", r"\S"):
            shown = atom
        elif len(atom) > 1 and atom[1].isalnum():
            raise NotSimulated(f"grep with {atom} in its pattern is not simulated")
        else:
            shown = re.escape(atom[-1])
        try:
            return re.compile(shown, self._flags | re.DOTALL)
        except re.error:
            raise NotSimulated(f"grep with {atom} in its pattern is not simulated") from None


def grep(arguments: Sequence[str], session: Session) -> Run:
    """Run ``grep``, ``egrep`` or ``fgrep``."""
    name = "-E" if arguments[0] == "egrep" else "-F" if arguments[0] == "fgrep" else ""
    given, words = options([arguments[0], *([name] if name else []), *arguments[1:]], "qvicnEFhHlso", "em")
    if "o" in given or "m" in given or not (words or "e" in given):
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    text = given["e"] if "e" in given else words.pop(0)
    pattern = Pattern(text, extended="E" in given, fixed="F" in given, ignore_case="i" in given)
    shows_names = (len(words) > 1 or "H" in given) and "h" not in given
    code = _NOT_FOUND
    trouble = 0
    for name in words or ["-"]:
        lines = Lines("grep", [name], session)
        shown = "(standard input)" if name == "-" else name
        found = yield from _search(lines, pattern, given, f"{shown}:" if shows_names else "")
        if found and "l" in given:
            yield Output(f"{shown}\n".encode())
        code = _FOUND if found else code
        trouble = trouble or lines.code
        if found and "q" in given:
            return _FOUND
    return _TROUBLE if trouble else code


def _search(lines: Lines, pattern: Pattern, given: dict[str, str], prefix: str) -> Run:
    """Print the lines that match the pattern of ``grep``, and return their number.

    `given` has the command's options by letter. `prefix` is printed before each line: the name of the file, or nothing.
    """
    found = number = 0
    while line := (yield from lines.next()):
        number += 1
        yield from lines.session.budget.spend(_WORK_OF_A_SEARCH + len(line) * pattern.size // _CHARACTERS_OF_WORK)
        if pattern.matches(line.decode(errors="replace").rstrip("\n")) == ("v" in given):
            continue
        found += 1
        if "q" in given or "l" in given:
            return found
        if "c" not in given:
            at = f"{number}:" if "n" in given else ""
            yield Output(f"{prefix}{at}".encode() + line.rstrip(b"\n") + b"\n")
    if "c" in given:
        yield Output(f"{prefix}{found}\n".encode())
    return found


def _alternatives(text: str, *, extended: bool) -> list[str]:
    if not extended:
        return text.split("\n")
    rows = [""]
    for atom in _ATOM.findall(text):
        if atom in ("|", "\n"):
            rows.append("")
        else:
            rows[-1] += atom
    return rows
