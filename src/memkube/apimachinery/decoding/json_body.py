"""JSON request bodies: parsing with Go's results and errors, and detection of apiVersion and kind.

Source of the detection: apimachinery's ``serializer/json/meta.go``.
"""

import json
import re
from typing import Any, Final

import orjson

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_syntax import syntax_error

_ESCAPES: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\."
)
_SURROGATES: Final = re.compile("[\udc80-\udcff]")
_INT64_DIGITS: Final = 20
_UNCHECKED_BRACKETS: Final = 200
"""Number of opening brackets below which a body cannot be nested too deeply to be serialised."""
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
        """Return the key-value pairs, so that code can iterate over a dict and a Pairs alike."""
        return self


class Number(str):
    """A JSON number as written in the text."""

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


def refuse_deep_nesting(data: Any, first: bytes = b"{") -> None:
    """Raise DecodeError if `data` is nested too deeply to be serialised."""
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
    """Return the apiVersion and kind of JSON data, each "" if missing.

    The field names are matched case-insensitively, as in Kubernetes. Raises DecodeError if apiVersion or kind is not a
    string, or `data` is not an object.
    """
    if data is None:
        return "", ""
    if not isinstance(data, dict):
        raise type_meta_error(f"json: cannot unmarshal {value_name(data)} into Go value of type {_TYPE_STRUCT}")
    api_version, kind = data.get("apiVersion", ""), data.get("kind", "")
    if type(api_version) is str and type(kind) is str and not data.keys() - _USUAL_FIELDS:
        _check_group_version(api_version)
        return api_version, kind
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
    return found["apiVersion"], found["kind"]


def type_meta_error(message: str) -> DecodeError:
    """Return the error for a body whose apiVersion and kind cannot be read; it contains the parser's message."""
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
