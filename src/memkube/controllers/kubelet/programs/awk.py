"""Shell command ``awk``, of which one action is simulated: to print fields of each line."""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from memkube.controllers.kubelet.programs.escapes import unescaped
from memkube.controllers.kubelet.programs.input import Lines, options
from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session

_PROGRAM: Final = re.compile(r"\s*\{\s*print\b\s*(.*?)[\s;]*\}\s*", re.DOTALL)
_ITEM: Final = re.compile(r'\s*(?:\$(NF|[0-9]{1,6})|(NF|NR)\b|"((?:[^"\\]|\\["\\nt/])*)"|(,))')
_SPACES: Final = re.compile(r"[ \t\n]+")


class _Record(NamedTuple):
    """A line of the input."""

    text: str
    fields: list[str]
    number: int


_Item: TypeAlias = Callable[[_Record], str]
"""Function that returns the text to print for a part of a print statement."""


def awk(arguments: Sequence[str], session: Session) -> Run:
    """Run ``awk`` with a program such as ``{print $1, $NF}``. Raises NotSimulated for all other programs."""
    given, words = options(arguments, "", "F")
    separator = given.get("F", " ")
    if not words or len(separator) != 1 or separator in "t\\":
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    items = _items(words[0])
    lines = Lines("awk", words[1:], session)
    number = 0
    while line := (yield from lines.next()):
        number += 1
        text = line.decode(errors="replace").removesuffix("\n")
        record = _Record(text, _fields(text, separator), number)
        yield Output("".join([*(item(record) for item in items), "\n"]).encode())
    return lines.code


def _fields(text: str, separator: str) -> list[str]:
    if separator == " ":
        return _SPACES.split(stripped) if (stripped := text.strip(" \t\n")) else []
    return text.split(separator) if text else []


def _items(program: str) -> list[_Item]:
    """Parse a program with one print statement. Raises NotSimulated for other programs."""
    found = _PROGRAM.fullmatch(program)
    refused = NotSimulated(f"the awk program {program[:100]} is not simulated")
    if found is None:
        raise refused
    rest, items = found[1], list[_Item]()
    follows_comma = False
    while rest:
        part = _ITEM.match(rest)
        if part is None or (part[4] and (follows_comma or not items)):
            raise refused
        follows_comma, rest = bool(part[4]), rest[part.end() :]
        items.append(_item(part))
    if follows_comma:
        raise refused
    return items or [lambda record: record.text]


def _item(part: re.Match[str]) -> _Item:
    field, count, text, _ = part.groups()
    if field is not None:
        return lambda record: _field(record, len(record.fields) if field == "NF" else int(field))
    if count is not None:
        return lambda record: str(len(record.fields) if count == "NF" else record.number)
    constant = " " if text is None else unescaped(text)[0]
    return lambda _: constant


def _field(record: _Record, number: int) -> str:
    """Return a field of a line by its number from 1, or the whole line for 0."""
    if number == 0:
        return record.text
    return record.fields[number - 1] if number <= len(record.fields) else ""
