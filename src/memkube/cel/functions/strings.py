"""Functions of strings (cel-go's ``ext/strings.go``, version 2; apiserver ``pkg/cel/library/jsonpatch.go``).

Positions are counted in Unicode characters, as in Python.
"""

from collections.abc import Sequence
from typing import Final

from memkube.cel.declarations import Implementations
from memkube.cel.errors import CostLimitExceeded, EvaluationError
from memkube.cel.functions.formatting import LONGEST_TEXT, formatted
from memkube.cel.standard.message_format import format_value
from memkube.cel.values import Value

_SPACES: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""Characters for which Go's ``unicode.IsSpace`` is true; Python's ``str.strip`` removes more."""
_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_UPPER: Final = {lower: upper for upper, lower in _LOWER.items()}
_ESCAPES: Final = str.maketrans(
    {
        "\a": r"\a",
        "\b": r"\b",
        "\f": r"\f",
        "\n": r"\n",
        "\r": r"\r",
        "\t": r"\t",
        "\v": r"\v",
        "\\": r"\\",
        '"': r"\"",
    }
)
_KEY_ESCAPES: Final = str.maketrans({"/": "~1", "~": "~0"})


def _out_of_range(index: int) -> EvaluationError:
    return EvaluationError(f"index out of range: {index}")


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise _out_of_range(index)
    return text[index : index + 1]


def _index_of(text: str, part: str, start: int = 0) -> int:
    if not part:
        return start
    if start < 0:
        raise _out_of_range(start)
    return text.find(part, start)


def _last_index_of(text: str, part: str) -> int:
    return text.rfind(part)


def _last_index_from(text: str, part: str, start: int) -> int:
    if not part:
        return start
    if start < 0:
        raise _out_of_range(start)
    # As in cel-go, a search that starts at or after the end finds nothing.
    return -1 if start >= len(text) else text.rfind(part, 0, start + len(part))


def _replaced(text: str, old: str, new: str, most: int = -1) -> str:
    grown = len(new) - len(old)
    if grown > 0 and len(text) + grown * (text.count(old) if most < 0 else min(most, text.count(old))) > LONGEST_TEXT:
        raise CostLimitExceeded
    return text.replace(old, new, most)


def _split(text: str, separator: str, most: int = -1) -> list[str]:
    if not most:
        return []
    if separator:
        return text.split(separator, most - 1 if most > 0 else -1)
    if most < 0 or most >= len(text):
        return list(text)
    return [*text[: most - 1], text[most - 1 :]]


def _substring(text: str, start: int) -> str:
    if not 0 <= start <= len(text):
        raise _out_of_range(start)
    return text[start:]


def _substring_to(text: str, start: int, end: int) -> str:
    if start > end:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise _out_of_range(index)
    return text[start:end]


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _joined(items: Sequence[Value], between: str = "") -> str:
    texts: list[str] = []
    for item in items:
        if not isinstance(item, str):
            raise EvaluationError(f"join: invalid input: {format_value(item)}")
        texts.append(item)
    if sum(map(len, texts)) + len(between) * len(texts) > LONGEST_TEXT:
        raise CostLimitExceeded
    return between.join(texts)


STRINGS: Final[Implementations] = {
    "charAt": {"string.(int): string": _char_at},
    "indexOf": {"string.(string): int": _index_of, "string.(string, int): int": _index_of},
    "lastIndexOf": {"string.(string): int": _last_index_of, "string.(string, int): int": _last_index_from},
    "lowerAscii": {"string.(): string": lambda text: text.translate(_LOWER)},
    "upperAscii": {"string.(): string": lambda text: text.translate(_UPPER)},
    "replace": {"string.(string, string): string": _replaced, "string.(string, string, int): string": _replaced},
    "split": {"string.(string): list(string)": _split, "string.(string, int): list(string)": _split},
    "substring": {"string.(int): string": _substring, "string.(int, int): string": _substring_to},
    "trim": {"string.(): string": lambda text: text.strip(_SPACES)},
    "format": {"string.(list(dyn)): string": formatted},
    "strings.quote": {"(string): string": _quoted},
    "join": {"list(string).(): string": _joined, "list(string).(string): string": _joined},
}
JSON_PATCHES: Final[Implementations] = {
    "jsonpatch.escapeKey": {"(string): string": lambda key: key.translate(_KEY_ESCAPES)},
}
