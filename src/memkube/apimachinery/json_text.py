"""JSON serialisation as Go's ``encoding/json``: safe inside HTML and JavaScript."""

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
    """Serialise JSON data, compact or indented by two spaces."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2) if indented else orjson.dumps(value)
    # These characters occur only inside strings, where the escape has the same meaning.
    for character, escape in _ESCAPES if text.isascii() else _ALL_ESCAPES:
        if character in text:
            text = text.replace(character, escape)
    return text
