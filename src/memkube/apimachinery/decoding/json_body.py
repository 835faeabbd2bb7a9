"""Request bodies in JSON as plain data."""

from typing import Any, Final

import orjson

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_syntax import syntax_error
from memkube.apimachinery.decoding.json_tree import plain, read_tree

_UNCHECKED_BRACKETS: Final = 200
"""Bodies with fewer opening brackets cannot be nested too deeply to be written again."""


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
