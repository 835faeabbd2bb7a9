"""Go strings, which can hold bytes that are not UTF-8, such as ``%ff`` in a URL.

A Python string holds such a byte as a lone surrogate, as with the error handler ``surrogateescape``. Only strings from
URLs, queries and headers can hold such bytes: in bodies they are decoded to replacement characters, as in Kubernetes.
"""

import re
from typing import Any, Final

_INVALID: Final = re.compile("[\udc80-\udcff]")


def go_string(data: bytes) -> str:
    """Decode UTF-8 as a Go string, which keeps invalid bytes (as surrogate escapes)."""
    return data.decode("utf-8", "surrogateescape")


def go_bytes(text: str) -> bytes:
    """Encode a string from `go_string` as UTF-8, restoring its invalid bytes."""
    return text.encode("utf-8", "surrogateescape")


def is_valid_utf8(text: str) -> bool:
    """Return True if a string from `go_string` has no invalid bytes."""
    return text.isascii() or _INVALID.search(text) is None


def replaced(text: str) -> str:
    """Replace each invalid byte by U+FFFD, as Go does when it iterates over the characters of a string."""
    return text if text.isascii() else _INVALID.sub("\ufffd", text)


def with_replacements(value: Any) -> Any:
    """Replace the invalid bytes of all strings in JSON data, as Go does when it writes JSON."""
    if isinstance(value, str):
        return replaced(value)
    if isinstance(value, dict):
        return {with_replacements(key): with_replacements(item) for key, item in value.items()}
    return [with_replacements(item) for item in value] if isinstance(value, list | tuple) else value
