"""Compressed header blocks (SPDY protocol draft 3.1, section 2.6.10)."""

import struct
import zlib
from collections.abc import Mapping
from typing import Final, TypeAlias

from memkube.endpoints.spdy.dictionary import DICTIONARY

Headers: TypeAlias = Mapping[str, str]
"""Names in lower case; of a name's several values the first."""

_LENGTH: Final = struct.Struct(">I")
_LARGEST_BLOCK: Final = 64 * 1024


class MalformedFrame(Exception):
    """The peer does not speak SPDY/3.1."""


class HeaderCompressor:
    """One per connection and direction: blocks are compressed with what went before them."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(zdict=DICTIONARY)

    def compress(self, headers: Headers) -> bytes:
        """A block of headers."""
        block = _LENGTH.pack(len(headers))
        for pair in headers.items():
            for text in pair:
                encoded = text.encode("latin-1")
                block += _LENGTH.pack(len(encoded)) + encoded
        return self._zlib.compress(block) + self._zlib.flush(zlib.Z_SYNC_FLUSH)


class HeaderDecompressor:
    """The other direction."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zdict=DICTIONARY)

    def decompress(self, data: bytes) -> Headers:
        """The headers of a block. Raises MalformedFrame."""
        try:
            block = self._zlib.decompress(data, _LARGEST_BLOCK)
            if self._zlib.unconsumed_tail:
                raise MalformedFrame("a block of headers that is too large")
            return _parse(block)
        except (zlib.error, struct.error) as error:
            raise MalformedFrame(f"headers that cannot be read: {error}") from None


def _parse(block: bytes) -> Headers:
    (count,) = _LENGTH.unpack_from(block)
    headers: dict[str, str] = {}
    at = _LENGTH.size
    for _ in range(count):
        name, at = _text(block, at)
        value, at = _text(block, at)
        headers[name.lower()] = value.split("\0", 1)[0]
    return headers


def _text(block: bytes, at: int) -> tuple[str, int]:
    (length,) = _LENGTH.unpack_from(block, at)
    end = at + _LENGTH.size + length
    if end > len(block):
        raise MalformedFrame("headers that end early")
    return block[at + _LENGTH.size : end].decode("latin-1"), end
