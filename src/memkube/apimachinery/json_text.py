"""JSON as the reference writes it (Go's ``encoding/json``): safe inside HTML and JavaScript."""

from typing import Any, Final

import orjson

_ESCAPES: Final = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
)
_ALL_ESCAPES: Final = (
    *_ESCAPES,
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


def to_json(value: Any, *, indented: bool = False) -> bytes:
    """JSON data as compact text, or laid out for people by two spaces a level."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2) if indented else orjson.dumps(value)
    # These stand in strings only, so that what they are written as is the same data.
    for character, escape in _ESCAPES if text.isascii() else _ALL_ESCAPES:
        if character in text:
            text = text.replace(character, escape)
    return text
