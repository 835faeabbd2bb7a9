"""PEM blocks (RFC 7468) with the parsing of Go's ``encoding/pem``, and basic checks of DER certificates."""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from typing import Final, NamedTuple

_BLOCK: Final = re.compile(
    rb"^-----BEGIN ([^\n]*?)-----[ \t]*\r?\n(.*?)^-----END \1-----[ \t]*\r?$", re.MULTILINE | re.DOTALL
)
_HEADER: Final = re.compile(rb"^[^:\n]+:[^\n]*\n")
_SEQUENCE: Final = 0x30


class PemBlock(NamedTuple):
    """A PEM block, with its type such as ``CERTIFICATE`` and its decoded content.

    `has_headers` is true if the block has header lines (``Key: value``).
    """

    type: str
    content: bytes
    has_headers: bool


def pem_blocks(text: bytes) -> Iterator[PemBlock]:
    """Yield the valid blocks in a text. Malformed blocks and other text are skipped."""
    for match in _BLOCK.finditer(text):
        body = match[2].replace(b"\r\n", b"\n")
        has_headers = False
        while header := _HEADER.match(body):
            body = body[header.end() :]
            has_headers = True
        try:
            content = b64decode(b"".join(body.split()), validate=True)
        except Base64Error:
            continue
        yield PemBlock(match[1].decode("utf-8", "replace"), content, has_headers)


def certificate_error(der: bytes) -> str | None:
    """Return Go's error if the outer DER structure of a certificate is malformed, otherwise None."""
    outer = der_sequence(der)
    if outer is None:
        return "x509: malformed certificate"
    inside, rest = outer
    if rest:
        return "x509: trailing data"
    return "x509: malformed tbs certificate" if der_sequence(inside) is None else None


def der_sequence(der: bytes) -> tuple[bytes, bytes] | None:
    """Return the content of a DER sequence and the bytes after it; None if the data is not a DER sequence."""
    if len(der) < 2 or der[0] != _SEQUENCE:
        return None
    length, start = der[1], 2
    if length & 0x80:
        start += length & 0x7F
        if start == 2 or start > 6 or start > len(der):
            return None
        length = int.from_bytes(der[2:start])
    end = start + length
    return (der[start:end], der[end:]) if end <= len(der) else None
