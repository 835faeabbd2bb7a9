"""Keys that a JSON body gives twice."""

from typing import Any, Final

import orjson

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.json_body import parse_json
from memkube.apimachinery.decoding.json_tree import Pairs, read_tree
from memkube.apimachinery.decoding.strict_errors import StrictErrors
from memkube.apimachinery.decoding.walk import decode_document
from memkube.apimachinery.schema import StructSchema

_HIDING: Final = (b"\\u", b" :", b"\n:", b"\t:", b"\r:")
"""What keeps a key or a quotation mark from being counted."""


def may_have_duplicates(body: bytes, data: Any) -> bool:
    """Whether the text from which `data` was parsed could give a key twice; False is certain.

    A parsed document keeps one of several equal keys, so that fewer colons stand behind quotation marks when it is
    written again. That can be counted only where nothing hides some of them.
    """
    try:
        written = orjson.dumps(data)
    except orjson.JSONEncodeError:
        return True
    return body.count(b'":') != written.count(b'":') or any(map(body.__contains__, _HIDING))


def duplicate_fields(body: bytes, schema: StructSchema | None = None) -> list[str]:
    """The duplicate fields of a body, as strict decoding reports them.

    Without a schema the body is read as plain JSON data, as merge patches are. Raises DecodeError as `parse_json`
    and, with a schema, as `decode_document` do.
    """
    if not may_have_duplicates(body, parse_json(body)):
        return []
    tree = read_tree(body)
    if schema is not None:
        return [error for error in decode_document(schema, tree)[1] if error.startswith("duplicate")]
    strict = StrictErrors()
    try:
        _collect(tree, "", strict)
    except RecursionError as deep:
        raise DecodeError("invalid character '{' exceeded max depth") from deep
    return strict.messages()


def _collect(tree: Any, path: str, strict: StrictErrors) -> None:
    if isinstance(tree, Pairs):
        seen: set[str] = set()
        for key, value in tree:
            here = f"{path}.{key}" if path else key
            if key in seen:
                strict.duplicate(here)
            seen.add(key)
            _collect(value, here, strict)
    elif isinstance(tree, list):
        for position, item in enumerate(tree):
            _collect(item, f"{path}[{position}]", strict)
