"""Compression of header blocks (SPDY protocol draft 3.1, section 2.6.10), with the dictionary of the protocol."""

import struct
import zlib
from collections.abc import Mapping
from typing import Final, TypeAlias

Headers: TypeAlias = Mapping[str, str]
"""Headers by name in lower case. If a header has several values, only the first one is kept."""

_LENGTH: Final = struct.Struct(">I")
_LARGEST_BLOCK: Final = 64 * 1024
_WORDS: Final = (
    "options,head,post,put,delete,trace,accept,accept-charset,accept-encoding,accept-language,"
    "accept-ranges,age,allow,authorization,cache-control,connection,content-base,content-encoding,"
    "content-language,content-length,content-location,content-md5,content-range,content-type,date,etag,"
    "expect,expires,from,host,if-match,if-modified-since,if-none-match,if-range,if-unmodified-since,"
    "last-modified,location,max-forwards,pragma,proxy-authenticate,proxy-authorization,range,referer,"
    "retry-after,server,te,trailer,transfer-encoding,upgrade,user-agent,vary,via,warning,"
    "www-authenticate,method,get,status,200 OK,version,HTTP/1.1,url,public,set-cookie,keep-alive,origin"
)
_TAIL: Final = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Au"
    "thoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidd"
    "en404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr Ma"
    "y Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,imag"
    "e/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicpri"
    "vatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)
DICTIONARY: Final = (
    b"".join(len(word).to_bytes(4, "big") + word.encode() for word in _WORDS.split(",")) + _TAIL.encode()
)


class MalformedFrame(Exception):
    """Raised if the client sends bytes that are not valid SPDY/3.1."""


class HeaderCompressor:
    """Compresses the header blocks that one side of a connection sends. Each block depends on the earlier ones."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(zdict=DICTIONARY)

    def compress(self, headers: Headers) -> bytes:
        """Return the compressed header block with these headers."""
        block = _LENGTH.pack(len(headers))
        for pair in headers.items():
            for text in pair:
                encoded = text.encode("latin-1")
                block += _LENGTH.pack(len(encoded)) + encoded
        return self._zlib.compress(block) + self._zlib.flush(zlib.Z_SYNC_FLUSH)


class HeaderDecompressor:
    """Decompresses the header blocks that one side of a connection has sent. Each block depends on the earlier ones."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zdict=DICTIONARY)

    def decompress(self, data: bytes) -> Headers:
        """Return the headers in a compressed block. Raises MalformedFrame if the block is malformed."""
        try:
            block = self._zlib.decompress(data, _LARGEST_BLOCK)
            if self._zlib.unconsumed_tail:
                raise MalformedFrame("SPDY: a header block is too large")
            return _parse(block)
        except (zlib.error, struct.error) as error:
            raise MalformedFrame(f"SPDY: a header block cannot be decompressed: {error}") from None


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
        raise MalformedFrame("SPDY: a header block ends early")
    return block[at + _LENGTH.size : end].decode("latin-1"), end
