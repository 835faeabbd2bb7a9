"""Sprig's functions for texts (``strings.go``, the Go libraries goutils and xstrings).

Functions that cut texts count bytes in UTF-8.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from memkube.controllers.stages.languages.template_arguments import (
    TemplateFunction,
    check_length,
    decoded,
    int_of,
    of_texts,
    taking,
    taking_at_least,
    text_of,
    to_text,
)
from memkube.controllers.stages.languages.template_values import TemplateError, quoted, shown

_WHITE: Final = " \t\n\v\f\r\x85\xa0"
_SHORTEST: Final = 4
_SHORTEST_BETWEEN: Final = 7
_DOTS: Final = b"..."
_CONNECTORS: Final = ("-", "_")


def _words(text: str) -> Iterator[tuple[bool, str]]:
    """Split a text into words and white space; the flag is True for white space."""
    return ((is_white, "".join(letters)) for is_white, letters in groupby(text, lambda letter: letter in _WHITE))


def _changed_words(change: Callable[[str], str], text: str) -> str:
    return "".join(word if is_white else change(word[0]) + word[1:] for is_white, word in _words(text))


def _title(text: str) -> str:
    """Begin each word with a capital letter. As in Go, words consist of letters, digits and ``_``."""
    parts, before = [], " "
    for letter in text:
        is_start = not (before.isalnum() or before == "_" or (ord(before) > 0x7F and before not in _WHITE))
        parts.append(letter.title() if is_start and len(letter.title()) == 1 else letter)
        before = letter
    return "".join(parts)


def _case_swapped(text: str) -> str:
    return "".join(_swapped(letter) for letter in text)


def _swapped(letter: str) -> str:
    other = letter.lower() if unicodedata.category(letter) in ("Lu", "Lt") else letter.upper()
    return other if len(other) == 1 else letter


def _repeat(count: Any, text: Any) -> str:
    times, repeated = int_of(count), text_of(text)
    if times < 0:
        raise TemplateError("strings: negative Repeat count")
    check_length(times * len(repeated))
    return repeated * times


def _replace(old: str, new: str, text: str) -> str:
    check_length(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _trunc(count: Any, text: Any) -> str:
    size, data = int_of(count), text_of(text).encode()
    cut = data[size:] if size < 0 and len(data) + size > 0 else data[:size] if 0 <= size < len(data) else data
    return decoded(cut)


def _substring(begin: Any, end: Any, text: Any) -> str:
    """Return a part of a text. A negative `begin` is the start, and a negative or large `end` the end of the text."""
    first, last, data = int_of(begin), int_of(end), text_of(text).encode()
    if first >= 0 and (last < 0 or last > len(data)):
        last = len(data)
    first = max(first, 0)
    if not first <= last <= len(data):
        raise TemplateError(f"runtime error: slice bounds out of range [{first}:{last}]")
    return decoded(data[first:last])


def _abbreviated(data: bytes, begin: int, width: int) -> bytes:
    """Shorten a text to `width` bytes: from its start, or from `begin` on. Dots stand for the parts left out."""
    if len(data) <= width:
        return data
    begin = min(begin, len(data))
    if len(data) - begin < width - 3:
        begin = len(data) - (width - 3)
    if begin <= 4:
        return data[: width - 3] + _DOTS
    if width < _SHORTEST_BETWEEN:
        return b""
    if begin + width - 3 < len(data):
        return _DOTS + _abbreviated(data[begin:], 0, width - 3)
    return _DOTS + data[len(data) - (width - 3) :]


def _abbrev(width: Any, text: Any) -> str:
    size, written = int_of(width), text_of(text)
    return written if size < _SHORTEST else decoded(_abbreviated(written.encode(), 0, size))


def _abbrev_both(left: Any, right: Any, text: Any) -> str:
    begin, size, written = int_of(left), int_of(right), text_of(text)
    if size < _SHORTEST or (begin > 0 and size < _SHORTEST_BETWEEN):
        return written
    return decoded(_abbreviated(written.encode(), begin, size))


def _wrapped(text: Any, width: Any, newline: Any, *, cuts_words: bool) -> str:
    """Break a text into lines of at most `width` bytes at spaces. `cuts_words` is True to cut longer words, too."""
    data, size = text_of(text).encode(), max(int_of(width), 1)
    line_end, lines, at = text_of(newline).encode() or b"\n", [], 0
    while len(data) - at > size:
        if data[at : at + 1] == b" ":
            at += 1
            continue
        space = data.rfind(b" ", at, at + size + 1)
        if space < 0 and not cuts_words:
            space = data.find(b" ", at + size)
            if space < 0:
                break
        lines.append(data[at : at + size] if space < 0 else data[at:space])
        at = at + size if space < 0 else space + 1
    check_length(len(data) + len(line_end) * len(lines))
    return decoded(line_end.join([*lines, data[at:]]))


def _kind_of_letter(letter: str) -> str:
    category = unicodedata.category(letter)
    if letter in _CONNECTORS or letter in _WHITE:
        return "connector"
    kinds = {"P": "punctuation", "L": "upper" if category == "Lu" else "lower", "N": "number"}
    return kinds.get(category[0], "other")


def _name_words(text: str) -> list[tuple[str, str]]:
    """Split a name such as ``HTTPServer2xx`` into its words, each with its kind.

    A capital letter before lower-case letters belongs to their word, and that word has the kind of the capital letter.
    """
    runs = [(kind, "".join(letters)) for kind, letters in groupby(text, _kind_of_letter)]
    words: list[tuple[str, str]] = []
    for kind, run in runs:
        if kind == "lower" and words and words[-1][0] == "upper":
            _, capitals = words.pop()
            if len(capitals) > 1:
                words.append(("upper", capitals[:-1]))
            words.append(("upper", capitals[-1] + run))
        else:
            words.append((kind, run))
    return words


def _joined_words(text: str, connector: str) -> str:
    """Return a name in lower case, with `connector` between its words (``ToSnakeCase``, ``ToKebabCase``).

    A number belongs to the word before it, unless lower-case letters follow: ``Bld4Floor3rd`` is ``bld4_floor_3rd``.
    """
    words, joined, index = _name_words(text), "", 0
    while index < len(words):
        kind, word = words[index]
        joined += _lowered(kind, word, connector)
        index += 1
        if kind in ("connector", "punctuation") or index == len(words):
            continue
        following = words[index][0]
        if kind == "number":
            joined, index = _number_tail(words, index, joined)
        elif following == "number":
            after = words[index + 1][0] if index + 1 < len(words) else ""
            if after == "lower":
                joined += connector + words[index][1]
                joined, index = _number_tail(words, index + 1, joined)
            elif after:
                joined += words[index][1]
                index += 1
        ends = ("connector", "punctuation") if kind == "number" else ("connector", "punctuation", "number")
        if index < len(words) and words[index][0] not in ends:
            joined += connector
    return joined


def _number_tail(words: list[tuple[str, str]], index: int, text: str) -> tuple[str, int]:
    """Append the numbers and lower-case words that begin at `index` to `text`.

    Returns the longer text, and the index of the first word that was not appended.
    """
    while index < len(words) and words[index][0] in ("lower", "number"):
        text += words[index][1]
        index += 1
    return text, index


def _lowered(kind: str, word: str, connector: str) -> str:
    if kind == "connector":
        return connector * len(word)
    return word.lower() if kind == "upper" else word


def _camel_case(text: str) -> str:
    """Join words, which are separated by spaces, ``_`` or ``-``, each with a capital letter (``ToPascalCase``).

    Separators at the start and at the end are kept. Of several separators in a row, only the last is removed.
    """
    start = len(text) - len(text.lstrip("".join(_CONNECTORS) + _WHITE))
    parts, is_start = [text[:start]], True
    rest = text[start:]
    for index, letter in enumerate(rest):
        is_separator = _kind_of_letter(letter) == "connector"
        if not is_separator:
            parts.append(letter.upper() if is_start else letter)
        elif index + 1 == len(rest) or _kind_of_letter(rest[index + 1]) == "connector":
            parts.append(letter)
        is_start = is_separator
    return "".join(parts)


def _indent(count: Any, text: Any) -> str:
    pad = _repeat(count, " ")
    return pad + _replace("\n", "\n" + pad, text_of(text))


def _quote(*values: Any) -> str:
    return " ".join(quoted(to_text(value)) for value in values if value is not None)


def _squote(*values: Any) -> str:
    return " ".join(f"'{to_text(value)}'" for value in values if value is not None)


def _cat(*values: Any) -> str:
    return " ".join(shown(value, nested=True) for value in values if value is not None)


def _numbered(parts: list[str]) -> dict[str, str]:
    return {f"_{index}": part for index, part in enumerate(parts)}


def _split(by: str, text: str) -> list[str]:
    return text.split(by) if by else list(text)


def _split_most(by: Any, most: Any, text: Any) -> dict[str, str]:
    """Split a text into at most `most` parts, with names such as ``_0``."""
    limit, separator, written = int_of(most), text_of(by), text_of(text)
    if limit <= 0:
        return _numbered(_split(separator, written) if limit else [])
    if separator:
        return _numbered(written.split(separator, limit - 1))
    return _numbered([*written[: limit - 1], written[limit - 1 :]] if len(written) > limit else list(written))


def _plural(one: Any, many: Any, count: Any) -> str:
    return text_of(one) if int_of(count) == 1 else text_of(many)


TEXTS: Final[Mapping[str, TemplateFunction]] = {
    "hello": taking(0, lambda: "Hello!"),
    "toString": taking(1, to_text),
    "quote": taking_at_least(0, _quote),
    "squote": taking_at_least(0, _squote),
    "cat": taking_at_least(0, _cat),
    "upper": of_texts(1, str.upper),
    "lower": of_texts(1, str.lower),
    "title": of_texts(1, _title),
    "untitle": of_texts(1, lambda text: _changed_words(str.lower, text)),
    "swapcase": of_texts(1, _case_swapped),
    "snakecase": of_texts(1, lambda text: _joined_words(text, "_")),
    "kebabcase": of_texts(1, lambda text: _joined_words(text, "-")),
    "camelcase": of_texts(1, _camel_case),
    "trim": of_texts(1, str.strip),
    "trimAll": of_texts(2, lambda letters, text: text.strip(letters) if letters else text),
    "trimall": of_texts(2, lambda letters, text: text.strip(letters) if letters else text),
    "trimPrefix": of_texts(2, lambda prefix, text: text.removeprefix(prefix)),
    "trimSuffix": of_texts(2, lambda suffix, text: text.removesuffix(suffix)),
    "nospace": of_texts(1, lambda text: "".join(word for is_white, word in _words(text) if not is_white)),
    "initials": of_texts(1, lambda text: "".join(word[0] for is_white, word in _words(text) if not is_white)),
    "contains": of_texts(2, lambda part, text: part in text),
    "hasPrefix": of_texts(2, lambda prefix, text: text.startswith(prefix)),
    "hasSuffix": of_texts(2, lambda suffix, text: text.endswith(suffix)),
    "replace": of_texts(3, _replace),
    "repeat": taking(2, _repeat),
    "trunc": taking(2, _trunc),
    "substr": taking(3, _substring),
    "abbrev": taking(2, _abbrev),
    "abbrevboth": taking(3, _abbrev_both),
    "wrap": taking(2, lambda width, text: _wrapped(text, width, "", cuts_words=False)),
    "wrapWith": taking(3, lambda width, newline, text: _wrapped(text, width, newline, cuts_words=True)),
    "indent": taking(2, _indent),
    "nindent": taking(2, lambda count, text: "\n" + _indent(count, text)),
    "plural": taking(3, _plural),
    "split": of_texts(2, lambda by, text: _numbered(_split(by, text))),
    "splitList": of_texts(2, _split),
    "splitn": taking(3, _split_most),
}
"""Functions for texts, by name."""
