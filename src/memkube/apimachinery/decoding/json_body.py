"""JSON request bodies: parsing with Go's results and errors, and detection of apiVersion and kind.

Sources: Go's scanner (``encoding/json``, scanner.go), and apimachinery's ``serializer/json/meta.go`` for the detection.
"""

import json
import re
from collections.abc import Callable, Iterator
from math import isinf
from typing import Any, Final

import orjson

from memkube.apimachinery.decoding.errors import DecodeError
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
_HIDING: Final = (b"\\u", b" :", b"\n:", b"\t:", b"\r:")
"""If a JSON text contains one of these byte sequences, counting ``":`` in it does not reveal duplicate keys."""


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
    """State machine that checks the syntax of one JSON document.

    Each state is a method that reads some bytes and returns the next state, or None at the end.
    """

    def __init__(self, body: bytes) -> None:
        # The scanner finds the end of a number when it reads the next character. A number may be the last thing in the
        # body; like Go's scanner, this one then reads a space that is not in the body.
        self.body = body + b" "
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


_ESCAPES: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\."
)
_SURROGATES: Final = re.compile("[\udc80-\udcff]")
_INT64_DIGITS: Final = 20
_UNCHECKED_BRACKETS: Final = 200
"""A body with fewer opening brackets is not checked for too deep nesting, because it cannot be nested too deeply."""
_NO_TYPE: Final = "couldn't get version/kind; json parse error: "
_TYPE_STRUCT: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
_USUAL_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata", "spec", "status", "data"})
_TYPE_FIELDS: Final = {"apiversion": "apiVersion", "kind": "kind"}
_SUMMARY_BYTES: Final = 30


class Pairs(list[tuple[str, Any]]):
    """Members of a JSON object as key-value pairs in text order, including duplicate keys."""

    __slots__ = ()

    def items(self) -> list[tuple[str, Any]]:
        """Return the key-value pairs, as the method `items` of a dict does."""
        return self


class Number(str):
    """The text of a number, exactly as in the JSON body."""

    __slots__ = ()

    def value(self) -> int | float:
        """Return the number as Kubernetes decodes numbers without a schema: int64 if possible, otherwise float64."""
        if "." not in self and "e" not in self and "E" not in self and len(self) <= _INT64_DIGITS:
            integer = int(self)
            if -(2**63) <= integer < 2**63:
                return integer
        return float(self)


def read_tree(body: bytes) -> Any:
    """Parse a well-formed JSON body into a tree that preserves duplicate keys and the notation of numbers.

    Raises RecursionError if the body is nested too deeply.
    """
    text = _SURROGATES.sub("\ufffd", body.decode("utf-8", "surrogateescape"))
    if "\\u" in text:
        text = _ESCAPES.sub(_replaced_if_lone, text)
    return json.loads(text, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number)


def plain(tree: Any) -> Any:
    """Convert a tree returned by `read_tree` to plain JSON data; the last of duplicate keys wins."""
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


def parse_json(body: bytes) -> Any:
    """Parse a JSON body. The last of duplicate keys wins, and invalid UTF-8 becomes U+FFFD.

    Raises DecodeError with the message of Go's scanner if the body is malformed, or nested too deeply to be serialised.
    """
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        data = _parse_as_go(body)
    if body.count(b"{") + body.count(b"[") >= _UNCHECKED_BRACKETS:
        refuse_deep_nesting(data, body[:1])
    return data


def refuse_infinity(data: Any, body: bytes, target: str = "Go value") -> None:
    """Raise DecodeError if `data`, parsed from a JSON body, has a number beyond float64, such as ``1e400``.

    The error message names `target` as the Go variable that cannot hold the number. Call this function only for data
    that is decoded without a schema: decoding by a schema itself reports such numbers, with the name of the field.
    """
    if _has_infinity(data):
        number = next(_infinities(read_tree(body)), "")
        raise DecodeError(f"json: cannot unmarshal number {number} into {target} of type float64")


def _has_infinity(data: Any) -> bool:
    if isinstance(data, dict):
        return any(map(_has_infinity, data.values()))
    if isinstance(data, list):
        return any(map(_has_infinity, data))
    return data.__class__ is float and isinf(data)


def first_infinity(data: Any) -> str | None:
    """Return the first number beyond float64 in JSON data or in a result of `read_tree`; None if there is none.

    The number is as in the JSON text if `data` is such a result.
    """
    return next(_infinities(data), None)


def _infinities(tree: Any) -> Iterator[str]:
    """Yield the numbers beyond float64 in JSON data or in a result of `read_tree`."""
    if isinstance(tree, Pairs):
        for _, value in tree:
            yield from _infinities(value)
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from _infinities(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _infinities(value)
    elif isinstance(tree, Number | float) and isinf(float(tree)):
        yield str(tree)


def refuse_deep_nesting(data: Any, first: bytes = b"{") -> None:
    """Raise DecodeError if `data` is nested too deeply to be serialised.

    `first` is the first byte of the body, which the error message quotes.
    """
    try:
        orjson.dumps(data)
    except orjson.JSONEncodeError as error:
        if "64-bit" not in str(error):
            raise _too_deep(first) from error


def _parse_as_go(body: bytes) -> Any:
    error = syntax_error(body)
    if error is not None:
        raise DecodeError(error)
    try:
        return plain(read_tree(body))
    except RecursionError as deep:
        raise _too_deep(body[:1]) from deep


def _too_deep(first: bytes) -> DecodeError:
    character = "[" if first == b"[" else "{"
    return DecodeError(f"invalid character '{character}' exceeded max depth")


def probe_type(data: Any) -> tuple[str, str]:
    """Return the apiVersion and kind of JSON data; each is "" if it is missing.

    A leading slash of the apiVersion is dropped: ``/v1`` becomes ``v1``. The field names are matched
    case-insensitively, as in Kubernetes. Raises DecodeError if `data` is neither an object nor null, if apiVersion or
    kind is not a string, or if the apiVersion is malformed.
    """
    if data is None:
        return "", ""
    if not isinstance(data, dict):
        raise type_meta_error(f"json: cannot unmarshal {value_name(data)} into Go value of type {_TYPE_STRUCT}")
    api_version, kind = data.get("apiVersion", ""), data.get("kind", "")
    if type(api_version) is str and type(kind) is str and not data.keys() - _USUAL_FIELDS:
        _check_group_version(api_version)
        return api_version.removeprefix("/"), kind
    found = {"apiVersion": "", "kind": ""}
    for key, value in data.items():
        name = _TYPE_FIELDS.get(key.casefold()) if len(key) in (4, 10) else None
        if name is None or value is None:
            continue
        if not isinstance(value, str) or isinstance(value, Number):
            raise type_meta_error(
                f"json: cannot unmarshal {value_name(value)} into Go struct field .{name} of type string"
            )
        found[name] = value
    _check_group_version(found["apiVersion"])
    return found["apiVersion"].removeprefix("/"), found["kind"]


def type_meta_error(message: str) -> DecodeError:
    """Return the error for a body whose apiVersion and kind cannot be read; `message` is the error of the parser."""
    return DecodeError(_NO_TYPE + message)


def body_summary(body: bytes) -> str:
    """Return the start of a body for error messages: as text if it starts with ``{``, otherwise in hexadecimal."""
    if not body:
        return "<empty>"
    head = body[:_SUMMARY_BYTES]
    text = head.decode("utf-8", "replace") if body[:1] == b"{" else head.hex()
    return f"{text} ..." if len(body) > _SUMMARY_BYTES else text


def _check_group_version(api_version: str) -> None:
    if api_version.count("/") > 1:
        raise DecodeError(f"unexpected GroupVersion string: {api_version}")


def value_name(value: Any) -> str:
    """Return the name of a value's JSON type, as in Go's error messages."""
    if isinstance(value, dict):
        return "object"
    if isinstance(value, Number) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "bool"
    if value is None:
        return "null"
    return "object" if hasattr(value, "items") else "array"


def may_have_duplicates(body: bytes, data: Any) -> bool:
    """Return True if the JSON text `body` may have duplicate keys, and False if it certainly has none.

    `data` is the result of parsing `body`. Parsing keeps only one of several equal keys, so if a key is duplicated, the
    serialised `data` contains ``":`` fewer times than `body`. Unicode escapes in `body`, and white space before colons,
    make this comparison unreliable; the result is then always True.
    """
    try:
        written = orjson.dumps(data)
    except orjson.JSONEncodeError:
        return True
    return body.count(b'":') != written.count(b'":') or any(map(body.__contains__, _HIDING))
