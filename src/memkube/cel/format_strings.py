"""Checks that literal format strings match the types of their arguments (cel-go's ``ext/formatting.go``)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memkube.cel.syntax import Expr, ListOf, MapOf
from memkube.cel.types import Kind, Type

_clause: Final = re.compile(r"(\.([0-9]*))?(.?)", re.DOTALL)
_INTEGERS: Final[tuple[Kind, ...]] = ("int", "uint")
_PRINTED: Final[tuple[Kind, ...]] = (
    "list",
    "map",
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "timestamp",
    "bytes",
    "duration",
    "type",
    "null",
)
_STRING: Final = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
    "timestamps"
)
_HEX: Final = "only integers, byte buffers, and strings can be formatted as hex"
_CLAUSES: Final[Mapping[str, tuple[tuple[Kind, ...], str]]] = {
    "s": (_PRINTED, _STRING),
    "d": (_INTEGERS, "decimal clause can only be used on integers"),
    "f": (("double", "string"), "fixed-point clause can only be used on doubles"),
    "e": (("double", "string"), "scientific clause can only be used on doubles"),
    "b": ((*_INTEGERS, "bool"), "only integers and bools can be formatted as binary"),
    "x": ((*_INTEGERS, "string", "bytes"), _HEX),
    "X": ((*_INTEGERS, "string", "bytes"), _HEX),
    "o": (_INTEGERS, "octal clause can only be used on integers"),
}


class FormatError(Exception):
    """Raised if a format string is malformed, or an argument has the wrong type.

    `node` is the id of the wrong argument's node in the syntax tree, or 0 if the format string is wrong.
    """

    def __init__(self, why: str, node: int = 0) -> None:
        super().__init__(why)
        self.node = node


def check_format(text: str, arguments: Sequence[Expr], types: Mapping[int, Type]) -> int:
    """Return the number of arguments that a format string uses.

    Raises FormatError if `arguments` do not match the string; `types` has their types by node id.
    """
    asked = at = 0
    while (at := text.find("%", at)) >= 0:
        if text.startswith("%%", at):
            at += 2
            continue
        if at + 1 >= len(text):
            raise FormatError("unexpected end of string")
        if asked >= len(arguments):
            raise FormatError(f"index {asked} out of range")
        end, letter = _read_clause(text, at + 1)
        _check_argument(letter, arguments[asked], types)
        asked += 1
        at = end
    return asked


def _read_clause(text: str, at: int) -> tuple[int, str]:
    found = _clause.match(text, at)
    assert found is not None
    if found[1] is not None:
        if not found[3]:
            raise FormatError(
                "could not parse formatting clause: error while parsing precision: "
                "could not find end of precision specifier"
            )
        if not found[2]:
            raise FormatError(
                "could not parse formatting clause: error while parsing precision: error while converting precision "
                'to integer: strconv.Atoi: parsing "": invalid syntax'
            )
    if found[3] not in _CLAUSES:
        raise FormatError(f'could not parse formatting clause: unrecognized formatting clause "{found[3]}"')
    return found.end(), found[3]


def _check_argument(letter: str, argument: Expr, types: Mapping[int, Type]) -> None:
    kinds, why = _CLAUSES[letter]
    for node in _printed(argument) if letter == "s" else (argument,):
        found = types[node.id]
        if found.kind != "dyn" and found.kind not in kinds:
            raise FormatError(f"error during formatting: {why}, was given {found.name}", node.id)


def _printed(node: Expr) -> Iterator[Expr]:
    yield node
    if isinstance(node, ListOf):
        for item in node.items:
            yield from _printed(item)
    elif isinstance(node, MapOf):
        for entry in node.entries:
            assert not isinstance(entry.key, str)
            yield from _printed(entry.key)
            yield from _printed(entry.value)
