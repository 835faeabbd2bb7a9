"""Request bodies in JSON: as plain data, as Go's decoder sees them, and the kind that they name.

Source of the last: apimachinery's ``serializer/json/meta.go``.
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
"""Bodies with fewer opening brackets cannot be nested too deeply to be written again."""
_NO_TYPE: Final = "couldn't get version/kind; json parse error: "
_TYPE_STRUCT: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
_USUAL_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata", "spec", "status", "data"})
_TYPE_FIELDS: Final = {"apiversion": "apiVersion", "kind": "kind"}
_SUMMARY_BYTES: Final = 30


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


def parse_json(body: bytes) -> Any:
    """The data of a body. Of duplicate keys the last one counts; invalid text becomes U+FFFD.

    Raises DecodeError in the words of Go's scanner, also where data is nested more deeply than the server can write.
    """
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        data = _parse_as_go(body)
    if body.count(b"{") + body.count(b"[") >= _UNCHECKED_BRACKETS:
        refuse_deep_nesting(data, body[:1])
    return data


def refuse_deep_nesting(data: Any, first: bytes = b"{") -> None:
    """Raise DecodeError unless `data` can be written as JSON."""
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
    """The apiVersion and the kind of parsed data, "" where it has none.

    The reference reads these two without regard to the case of their names. Raises DecodeError.
    """
    if data is None:
        return "", ""
    if not isinstance(data, dict):
        raise unprobed(f"json: cannot unmarshal {value_name(data)} into Go value of type {_TYPE_STRUCT}")
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
            raise unprobed(f"json: cannot unmarshal {value_name(value)} into Go struct field .{name} of type string")
        found[name] = value
    _check_group_version(found["apiVersion"])
    return found["apiVersion"], found["kind"]


def unprobed(message: str) -> DecodeError:
    """The error of a body that is no JSON object, from what the parser says of it."""
    return DecodeError(_NO_TYPE + message)


def summarized(body: bytes) -> str:
    """The beginning of a body as error messages quote it: objects as text, anything else in hexadecimal digits."""
    if not body:
        return "<empty>"
    head = body[:_SUMMARY_BYTES]
    text = head.decode("utf-8", "replace") if body[:1] == b"{" else head.hex()
    return f"{text} ..." if len(body) > _SUMMARY_BYTES else text


def _check_group_version(api_version: str) -> None:
    if api_version.count("/") > 1:
        raise DecodeError(f"unexpected GroupVersion string: {api_version}")


def value_name(value: Any) -> str:
    """What kind of JSON value was met; numbers without their digits."""
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
