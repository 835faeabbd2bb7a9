"""Syntax check of JSON that reports the errors of Go's scanner (``encoding/json``, scanner.go)."""

import re
from collections.abc import Callable
from typing import Any, Final

from memkube.apimachinery.shown_values import quoted

MAX_DEPTH: Final = 10_000

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_PLAIN_TEXT: Final = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS: Final = re.compile(rb"[0-9]*")
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_DIGIT: Final = frozenset(b"0123456789")
_ESCAPED: Final = frozenset(b'bfnrt\\/"')
_LITERALS: Final = {ord("t"): "true", ord("f"): "false", ord("n"): "null"}
_QUOTE, _BACKSLASH, _MINUS, _ZERO = b'"\\-0'
_OPEN_LIST, _OPEN_OBJECT, _CLOSE_LIST, _CLOSE_OBJECT, _COMMA, _COLON = b"[{]},:"


class _SyntaxFault(Exception):
    pass


class _UnexpectedEnd(Exception):
    pass


def syntax_error(body: bytes) -> str | None:
    """Return Go's error for malformed JSON; None if the body is well-formed."""
    try:
        _Scanner(body).run()
    except _SyntaxFault as fault:
        return str(fault)
    except _UnexpectedEnd:
        return "unexpected end of JSON input"
    return None


class _Scanner:
    """Scanner of one JSON document. Each state method returns the next state; None ends the scan."""

    def __init__(self, body: bytes) -> None:
        self.body = body + b" "  # Like Go's scanner, read a space at the end, which ends a number there.
        self.at = 0
        self.open: list[int] = []

    def run(self) -> None:
        state: Callable[[], Any] | None = self.value
        while state is not None:
            state = state()

    def value(self) -> Callable[[], Any]:
        byte = self.token()
        if byte in (_OPEN_OBJECT, _OPEN_LIST):
            return self.opened(byte)
        if byte == _QUOTE:
            self.string()
        elif byte == _MINUS or byte in _DIGIT:
            self.number()
        elif byte in _LITERALS:
            self.literal(_LITERALS[byte])
        else:
            raise self.fault("looking for beginning of value")
        return self.after_value

    def opened(self, bracket: int) -> Callable[[], Any]:
        self.open.append(bracket)
        if len(self.open) > MAX_DEPTH:
            raise self.fault("exceeded max depth")
        self.at += 1
        closing = _CLOSE_OBJECT if bracket == _OPEN_OBJECT else _CLOSE_LIST
        if self.token() == closing:
            return self.closed()
        return self.key if bracket == _OPEN_OBJECT else self.value

    def closed(self) -> Callable[[], Any]:
        self.open.pop()
        self.at += 1
        return self.after_value

    def key(self) -> Callable[[], Any]:
        if self.token() != _QUOTE:
            raise self.fault("looking for beginning of object key string")
        self.string()
        if self.token() != _COLON:
            raise self.fault("after object key")
        self.at += 1
        return self.value

    def after_value(self) -> Callable[[], Any] | None:
        self.skip_space()
        if not self.open:
            if self.at < len(self.body):
                raise self.fault("after top-level value")
            return None
        in_object = self.open[-1] == _OPEN_OBJECT
        byte = self.token()
        if byte == _COMMA:
            self.at += 1
            return self.key if in_object else self.value
        if byte == (_CLOSE_OBJECT if in_object else _CLOSE_LIST):
            return self.closed()
        raise self.fault("after object key:value pair" if in_object else "after array element")

    def string(self) -> None:
        self.at += 1
        while True:
            self.skip(_PLAIN_TEXT)
            byte = self.byte()
            if byte == _QUOTE:
                self.at += 1
                return
            if byte != _BACKSLASH:
                raise self.fault("in string literal")
            self.at += 1
            self.escape()

    def escape(self) -> None:
        byte = self.byte()
        if byte == ord("u"):
            for _ in range(4):
                self.at += 1
                if self.byte() not in _HEX:
                    raise self.fault("in \\u hexadecimal character escape")
        elif byte not in _ESCAPED:
            raise self.fault("in string escape code")
        self.at += 1

    def number(self) -> None:
        if self.byte() == _MINUS:
            self.at += 1
        if self.byte() == _ZERO:
            self.at += 1
        else:
            self.digits("in numeric literal")
        if self.byte() == ord("."):
            self.at += 1
            self.digits("after decimal point in numeric literal")
        if self.byte() in b"eE":
            self.at += 1
            if self.byte() in b"+-":
                self.at += 1
            self.digits("in exponent of numeric literal")

    def digits(self, where: str) -> None:
        if self.byte() not in _DIGIT:
            raise self.fault(where)
        self.skip(_DIGITS)

    def literal(self, word: str) -> None:
        for letter in word:
            if self.byte() != ord(letter):
                raise self.fault(f"in literal {word} (expecting '{letter}')")
            self.at += 1

    def token(self) -> int:
        self.skip_space()
        return self.byte()

    def skip_space(self) -> None:
        self.skip(_SPACE)

    def skip(self, pattern: re.Pattern[bytes]) -> None:
        match = pattern.match(self.body, self.at)
        self.at = match.end() if match else self.at

    def byte(self) -> int:
        if self.at >= len(self.body):
            raise _UnexpectedEnd
        return self.body[self.at]

    def fault(self, where: str) -> _SyntaxFault:
        character = chr(self.body[self.at])
        shown = {"'": "\\'", '"': '"'}.get(character) or quoted(character)[1:-1]
        return _SyntaxFault(f"invalid character '{shown}' {where}")
