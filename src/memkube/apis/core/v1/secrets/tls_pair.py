"""Validation of a PEM certificate and its key (RFC 7468), with the error messages of Go's ``crypto/tls``."""

from collections.abc import Callable
from typing import Final

from memkube.apimachinery.pem import certificate_error, pem_blocks
from memkube.registry.declarations.lazy import Lazy

_CERTIFICATE: Final = "CERTIFICATE"
_PRIVATE_KEY: Final = "PRIVATE KEY"
_key_error: Final[Lazy[Callable[[bytes, bytes], str | None]]] = Lazy("memkube.apis.core.v1.secrets.tls_keys:key_error")


def pair_error(certificate: bytes, key: bytes) -> str | None:
    """Return the error of a PEM certificate and its key; None if they are a valid pair."""
    blocks = list(pem_blocks(certificate))
    first = next((block.content for block in blocks if block.type == _CERTIFICATE), None)
    if first is None:
        return _no_certificate([block.type for block in blocks])
    skipped: list[str] = []
    for block in pem_blocks(key):
        if block.type == _PRIVATE_KEY or block.type.endswith(f" {_PRIVATE_KEY}"):
            return certificate_error(first) or _key_error.load()(first, block.content)
        skipped.append(block.type)
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
