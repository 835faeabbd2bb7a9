"""JSON serialisation as in Go's ``encoding/json``, which escapes characters with a meaning in HTML and JavaScript."""

from typing import Any, Final

import orjson

from memkube.apimachinery.go_strings import with_replacements

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
    option = orjson.OPT_INDENT_2 if indented else None
    try:
        text = orjson.dumps(value, option=option)
    except orjson.JSONEncodeError as error:
        if "surrogates" not in str(error):
            raise
        text = orjson.dumps(with_replacements(value), option=option)
    # JSON text contains the characters to escape only inside strings, so each can be replaced by its escape.
    for character, escape in _ESCAPES if text.isascii() else _ALL_ESCAPES:
        if character in text:
            text = text.replace(character, escape)
    return text
