"""Base64 encoding and decoding with the behaviour of Go's ``encoding/base64``."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Final

_ALPHABET: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_LINE_BREAKS: Final = "\r\n"


def decode_base64(text: str) -> bytes:
    """Decode padded base64, ignoring line breaks. Raises ValueError with Go's message if it is malformed."""
    try:
        return b64decode(text, validate=True)
    except (Base64Error, ValueError):
        return _decode_as_go(text)


def encode_base64(data: bytes) -> str:
    """Encode bytes as padded base64 without line breaks."""
    return b64encode(data).decode("ascii")


def _decode_as_go(text: str) -> bytes:
    offset = _first_fault(text)
    if offset is not None:
        raise ValueError(f"illegal base64 data at input byte {offset}")
    return b64decode("".join(text.split("\n")).replace("\r", ""))


def _first_fault(text: str) -> int | None:
    """Return the offset in bytes at which Go's decoder reports an error; None if the text is valid base64.

    Go decodes groups of four characters, and reports an incomplete last group at the beginning of the group.
    """
    data = text.encode("utf-8", "surrogatepass").decode("latin-1")
    group = 0
    for at, character in enumerate(data):
        if character in _LINE_BREAKS:
            continue
        if character in _ALPHABET:
            group = (group + 1) % 4
        elif character == "=" and group >= 2:
            return _padding_fault(data, at, group)
        else:
            return at
    return len(data) - group if group else None


def _padding_fault(data: str, at: int, group: int) -> int | None:
    """Return the offset in bytes of an error in the padding that starts at offset `at`; None if the padding is valid.

    `group` is the number of characters before the padding in its group of four.
    """
    after = [i for i in range(at + 1, len(data)) if data[i] not in _LINE_BREAKS]
    if group == 2:
        if not after:
            return len(data)
        if data[after[0]] != "=":
            return after[0] - 1
        after = after[1:]
    return after[0] if after else None
