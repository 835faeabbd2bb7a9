"""Blocks of PEM text (RFC 7468), as Go's ``encoding/pem`` finds them."""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from typing import Final, NamedTuple

_BLOCK: Final = re.compile(
    rb"^-----BEGIN ([^\n]*?)-----[ \t]*\r?\n(.*?)^-----END \1-----[ \t]*\r?$", re.MULTILINE | re.DOTALL
)
_HEADER: Final = re.compile(rb"^[^:\n]+:[^\n]*\n")


class PemBlock(NamedTuple):
    """A block: its type, such as ``CERTIFICATE``, what it holds, and whether lines like ``Key: value`` precede that."""

    type: str
    content: bytes
    has_headers: bool


def pem_blocks(text: bytes) -> Iterator[PemBlock]:
    """The blocks that can be read; those that cannot are passed over, as is all that is no block."""
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
