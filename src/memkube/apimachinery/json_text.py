"""JSON serialisation as in Go's ``encoding/json``, which escapes characters with a meaning in HTML and JavaScript."""

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
    """Serialise JSON data in compact form, or indented by two spaces."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2) if indented else orjson.dumps(value)
    # JSON text contains these characters only inside strings, so each can be replaced by its escape.
    for character, escape in _ESCAPES if text.isascii() else _ALL_ESCAPES:
        if character in text:
            text = text.replace(character, escape)
    return text
