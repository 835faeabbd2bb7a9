"""What is wrong with the PEM encoding of a certificate and its key (RFC 7468), in the words of Go's ``crypto/tls``.

Whether the key belongs to the certificate is not checked: that takes a cryptographic library.
"""

from typing import Final

from memkube.apimachinery.pem import pem_blocks

_SEQUENCE: Final = 0x30
_CERTIFICATE: Final = "CERTIFICATE"
_PRIVATE_KEY: Final = "PRIVATE KEY"


def pair_fault(certificate: bytes, key: bytes) -> str | None:
    """Why no certificate or no private key can be read; None where both can."""
    blocks = list(pem_blocks(certificate))
    first = next((block.content for block in blocks if block.type == _CERTIFICATE), None)
    if first is None:
        return _no_certificate([block.type for block in blocks])
    skipped: list[str] = []
    for name, *_ in pem_blocks(key):
        if name == _PRIVATE_KEY or name.endswith(f" {_PRIVATE_KEY}"):
            return _certificate_fault(first)
        skipped.append(name)
    return _no_key(skipped)


def _no_certificate(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in certificate input"
    if len(skipped) == 1 and skipped[0].endswith(_PRIVATE_KEY):
        found = "but did find a private key; PEM inputs may have been switched"
        return f"tls: failed to find certificate PEM data in certificate input, {found}"
    what = 'tls: failed to find "CERTIFICATE" PEM block in certificate input'
    return f"{what} after skipping PEM blocks of the following types: [{' '.join(skipped)}]"


def _no_key(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in key input"
    if skipped == [_CERTIFICATE]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    what = 'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input'
    return f"{what} after skipping PEM blocks of the following types: [{' '.join(skipped)}]"


def _certificate_fault(der: bytes) -> str | None:
    """A certificate is a sequence that begins with another one and has nothing behind it."""
    outer = _sequence(der)
    if outer is None:
        return "x509: malformed certificate"
    inside, rest = outer
    if rest:
        return "x509: trailing data"
    return "x509: malformed tbs certificate" if _sequence(inside) is None else None


def _sequence(der: bytes) -> tuple[bytes, bytes] | None:
    """The content of the DER sequence at the beginning, and what is behind it; None where there is none."""
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
