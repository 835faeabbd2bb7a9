"""JSON read as Go's decoder sees it: keys in order and with duplicates, numbers as they were written."""

import json
import re
from typing import Any, Final

_ESCAPES: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\."
)
_SURROGATES: Final = re.compile("[\udc80-\udcff]")
_INT64_DIGITS: Final = 20


class Pairs(list[tuple[str, Any]]):
    """An object's members in the order in which they were written."""

    __slots__ = ()

    def items(self) -> list[tuple[str, Any]]:
        """The members, as a dict would give them."""
        return self


class Number(str):
    """A number as it was written."""

    __slots__ = ()

    def value(self) -> int | float:
        """The number as the reference keeps it where it knows no type: an int64, else a float64."""
        if "." not in self and "e" not in self and "E" not in self and len(self) <= _INT64_DIGITS:
            integer = int(self)
            if -(2**63) <= integer < 2**63:
                return integer
        return float(self)


def read_tree(body: bytes) -> Any:
    """The tree of a well-formed body. Raises RecursionError where it is nested too deeply to be kept."""
    text = _SURROGATES.sub("\ufffd", body.decode("utf-8", "surrogateescape"))
    if "\\u" in text:
        text = _ESCAPES.sub(_replaced_if_lone, text)
    return json.loads(text, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number)


def plain(tree: Any) -> Any:
    """A tree as plain JSON data; of duplicate keys the last one counts."""
    if isinstance(tree, Pairs):
        return {key: plain(value) for key, value in tree}
    if isinstance(tree, dict):
        return {key: plain(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [plain(value) for value in tree]
    return tree.value() if isinstance(tree, Number) else tree


def _replaced_if_lone(match: re.Match[str]) -> str:
    escape = match[0]
    return "\\ufffd" if len(escape) == 6 else escape
