"""Decompression of gzip responses in small pieces, with the errors of Go's ``compress/gzip``."""

import zlib
from collections.abc import Iterator


class GzipReader:
    """Decompressor that returns small pieces, so that a small compressed response cannot fill the memory."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)
        self._begun = False

    def parts(self, packed: bytes) -> Iterator[bytes]:
        """Decompress `packed`, the next compressed bytes. Yield the decompressed data in pieces.

        Raises zlib.error with Go's message if the data is corrupt.
        """
        while packed:
            if self._member.eof:
                self._member = zlib.decompressobj(wbits=31)
            try:
                yield self._member.decompress(packed, 256 * 1024)
            except zlib.error as error:
                raise zlib.error(_gzip_words(str(error))) from None
            self._begun = True
            packed = self._member.unconsumed_tail or self._member.unused_data

    def end(self) -> None:
        """Check that the compressed data is complete. Raises zlib.error if it is truncated."""
        if self._begun and not self._member.eof:
            raise zlib.error("unexpected EOF")


def _gzip_words(said: str) -> str:
    if "header" in said or "unknown compression method" in said:
        return "gzip: invalid header"
    return "gzip: invalid checksum" if "data check" in said or "length check" in said else "flate: corrupt input"
