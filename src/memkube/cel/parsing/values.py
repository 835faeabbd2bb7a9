"""Values of the literals in CEL expressions (cel-go's ``parser/unescape.go``)."""

import math
import re
from typing import Final

from memkube.cel.syntax import Unsigned

_ESCAPED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_escapes: Final = re.compile(r"\\(x..|X..|u.{4}|U.{8}|[0-3]..|.)", re.DOTALL)
_HIGHEST: Final = 0x10FFFF
_MOST_DIGITS: Final = 30


class InvalidLiteral(Exception):
    """Raised with cel-go's message if a literal is malformed or out of range."""


def integer(text: str) -> int:
    """Return the value of an ``int`` literal, which may have a sign. Raises InvalidLiteral if it is out of range."""
    value = _whole(text)
    if not -(2**63) <= value < 2**63:
        raise InvalidLiteral("invalid int literal")
    return value


def unsigned(text: str) -> Unsigned:
    """Return the value of a ``uint`` literal. Raises InvalidLiteral if it is out of range."""
    value = _whole(text[:-1])
    if value >= 2**64:
        raise InvalidLiteral("invalid uint literal")
    return Unsigned(value)


def _whole(text: str) -> int:
    digits = text.removeprefix("-")
    base = 16 if digits.startswith("0x") else 10
    significant = digits.removeprefix("0x").lstrip("0") or "0"
    # Python refuses to convert thousands of digits. A number that is shortened here is still out of range of all types.
    value = int(significant[:_MOST_DIGITS], base)
    return -value if text.startswith("-") else value


def double(text: str) -> float:
    """Return the value of a ``double`` literal, which may have a sign. Raises InvalidLiteral if it is out of range."""
    value = float(text)
    if math.isinf(value):
        raise InvalidLiteral("invalid double literal")
    return value


def string(text: str) -> str:
    """Return the value of a ``string`` literal. Raises InvalidLiteral if an escape is not a Unicode code point."""
    content, raw = _content(text)
    if raw or "\\" not in content:
        return content
    return _escapes.sub(_character, content)


def octets(text: str) -> bytes:
    """Return the value of a ``bytes`` literal. Raises InvalidLiteral if it contains a Unicode escape."""
    content, raw = _content(text[1:])
    if raw or "\\" not in content:
        return _encoded(content)
    found = bytearray()
    end = 0
    for escape in _escapes.finditer(content):
        found += _encoded(content[end : escape.start()])
        end = escape.end()
        code = escape[1]
        if code[0] in "uU":
            raise InvalidLiteral("unable to unescape string")
        number = _number(code)
        if number is None:
            found += _ESCAPED.get(code, code).encode()
        else:
            found.append(number)
    return bytes(found + _encoded(content[end:]))


def _content(text: str) -> tuple[str, bool]:
    """Return the text between the quotes with each line end as a line feed, and True if the literal is raw."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    quoted = text[1:] if raw else text
    quotes = 3 if len(quoted) >= 6 and quoted.startswith(("'''", '"""')) else 1
    return quoted[quotes:-quotes], raw


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _number(code: str) -> int | None:
    if code[0] in "xXuU":
        return int(code[1:], 16)
    return int(code, 8) if code[0] in "0123" else None


def _character(escape: re.Match[str]) -> str:
    code = escape[1]
    number = _number(code)
    if number is None:
        return _ESCAPED.get(code, code)
    if number > _HIGHEST or 0xD800 <= number <= 0xDFFF:
        raise InvalidLiteral("invalid unicode code point")
    return chr(number)
