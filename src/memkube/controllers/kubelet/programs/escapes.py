"""Backslash escapes, and the formats of the shell command ``printf`` (POSIX.1-2024, XCU 3)."""

import re
from collections.abc import Sequence
from typing import Final

_ESCAPE: Final = re.compile(r"\\(0[0-7]{0,3}|[1-7][0-7]{0,2}|x[0-9A-Fa-f]{1,2}|.)", re.DOTALL)
_SIMPLE: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_WIDEST: Final = 1000
_DIRECTIVE: Final = re.compile(r"%([-+ 0#]*[0-9]*(?:\.[0-9]+)?)(.)", re.DOTALL)


def unescaped(text: str) -> tuple[str, bool]:
    r"""Return the text with its backslash escapes replaced, and True if ``\c`` ended the text early."""
    before, cut, _ = text.partition("\\c")
    return _ESCAPE.sub(_character, before), bool(cut)


def formatted(template: str, arguments: Sequence[str]) -> str:
    """Return the output of ``printf``. The template is repeated until all arguments are used.

    Raises ValueError if a format or a number is invalid.
    """
    template, _ = unescaped(template)
    left = list(arguments)
    written = _once(template, left)
    while left and len(left) < len(arguments):
        arguments = list(left)
        written += _once(template, left)
    return written


def _once(template: str, left: list[str]) -> str:
    def directive(found: re.Match[str]) -> str:
        options, conversion = found.groups()
        if conversion == "%":
            return "%"
        if conversion not in "sdixXoucbf":
            raise ValueError(f"%{options}{conversion}: invalid format")
        if any(int(number) > _WIDEST for number in re.findall("[0-9]+", options)):
            raise ValueError(f"%{options}{conversion}: invalid format")
        argument = left.pop(0) if left else ""
        if conversion in "sb":
            return f"%{options}s" % (unescaped(argument)[0] if conversion == "b" else argument)
        if conversion == "c":
            return argument[:1]
        number = _number(argument)
        form = f"%{options}{'d' if conversion in 'iu' else conversion}"
        try:
            return form % (number if conversion == "f" else int(number))
        except OverflowError:
            raise ValueError(f"{argument}: invalid number") from None

    return _DIRECTIVE.sub(directive, template)


def _number(text: str) -> float:
    try:
        return float(text) if "." in text else int(text or "0", 0)
    except ValueError:
        raise ValueError(f"{text}: invalid number") from None


def _character(found: re.Match[str]) -> str:
    code: str = found[1]
    if code[0] == "x":
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) % 256)
    return _SIMPLE.get(code, f"\\{code}")
