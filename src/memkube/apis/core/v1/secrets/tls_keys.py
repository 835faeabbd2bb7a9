"""Validation of a private key against its certificate, with the error messages of Go's ``crypto/tls``.

This module is imported on first use, because importing ``cryptography`` is slow.
"""

from contextlib import suppress
from typing import Final, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import load_der_private_key

from memkube.apimachinery.x509_objects import read_certificate

_Private: TypeAlias = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
_PAIRS: Final = (
    (rsa.RSAPublicKey, rsa.RSAPrivateKey),
    (ec.EllipticCurvePublicKey, ec.EllipticCurvePrivateKey),
    (ed25519.Ed25519PublicKey, ed25519.Ed25519PrivateKey),
)


def key_error(certificate: bytes, key: bytes) -> str | None:
    """Return an error if the private key does not match the certificate (both in DER); None if it matches."""
    try:
        public = read_certificate(certificate).public_key()
    except UnsupportedAlgorithm:
        return "tls: unknown public key algorithm"
    except ValueError:
        return "x509: malformed certificate"
    private = _private_key(key)
    if isinstance(private, str):
        return private
    expected = next((private_type for public_type, private_type in _PAIRS if isinstance(public, public_type)), None)
    if expected is None:
        return "tls: unknown public key algorithm"
    if not isinstance(private, expected):
        return "tls: private key type does not match public key type"
    return None if private.public_key() == public else "tls: private key does not match public key"


def _private_key(written: bytes) -> _Private | str:
    """Parse a private key in DER of a type that TLS supports. Returns an error message for any other key."""
    with suppress(ValueError, TypeError, UnsupportedAlgorithm):
        key = load_der_private_key(written, None)
        return key if isinstance(key, _Private) else "tls: found unknown private key type in PKCS#8 wrapping"
    return "tls: failed to parse private key"
