"""Validation of certificate requests (PKCS#10) and certificates, with the error messages of Go's ``crypto/x509``.

This module is imported on first use, because importing ``cryptography`` is slow. For errors in nested ASN.1 values of a
request, the message is less specific than Go's.
"""

from contextlib import suppress
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, SHA384, SHA512, HashAlgorithm

from memkube.apimachinery.pem import certificate_error, der_sequence, pem_blocks
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.x509_objects import read_certificate, read_request

_REQUEST: Final = "CERTIFICATE REQUEST"
_CERTIFICATE: Final = "CERTIFICATE"
_NO_PARAMETERS: Final = (
    "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> "
    "stringType:0 timeType:0 set:false omitEmpty:false}"
)
_MALFORMED: Final = "asn1: structure error: malformed certificate request"
_UNIMPLEMENTED: Final = "x509: cannot verify signature: algorithm unimplemented"
_MD5_WITH_RSA: Final = "1.2.840.113549.1.1.4"
_RSA_PSS: Final = "1.2.840.113549.1.1.10"
_SHA1: Final = SHA1()  # noqa: S303  - Go accepts SHA-1 signatures in certificate requests
_ALGORITHMS: Final[dict[str, tuple[str, HashAlgorithm | None]]] = {
    "1.2.840.113549.1.1.5": ("RSA", _SHA1),
    "1.3.14.3.2.29": ("RSA", _SHA1),
    "1.2.840.113549.1.1.11": ("RSA", SHA256()),
    "1.2.840.113549.1.1.12": ("RSA", SHA384()),
    "1.2.840.113549.1.1.13": ("RSA", SHA512()),
    "1.2.840.10045.4.1": ("ECDSA", _SHA1),
    "1.2.840.10045.4.3.2": ("ECDSA", SHA256()),
    "1.2.840.10045.4.3.3": ("ECDSA", SHA384()),
    "1.2.840.10045.4.3.4": ("ECDSA", SHA512()),
    "1.3.101.112": ("Ed25519", None),
}
"""Signature algorithms that Go verifies, by object identifier, with the type of the key and the digest."""

_GO_TYPES: Final[dict[type, str]] = {
    rsa.RSAPublicKey: "*rsa.PublicKey",
    ec.EllipticCurvePublicKey: "*ecdsa.PublicKey",
    ed25519.Ed25519PublicKey: "ed25519.PublicKey",
}
_REFUSALS: Final = {
    "RSA": (rsa.RSAPublicKey, "crypto/rsa: verification error"),
    "ECDSA": (ec.EllipticCurvePublicKey, "x509: ECDSA verification failure"),
    "Ed25519": (ed25519.Ed25519PublicKey, "x509: Ed25519 verification failure"),
}
_CURVES: Final = ("secp224r1", "secp256r1", "secp384r1", "secp521r1")
_SMALLEST_RSA_KEY: Final = 1024
_LONG_FORM: Final = 0x80
_SEQUENCE_TAG: Final = 16
_MULTIBYTE_TAG: Final = 0x1F


def request_error(text: bytes) -> str | None:
    """Return the error of a certificate request in PEM; None if it is valid and signed by its own key."""
    block = next(pem_blocks(text), None)
    if block is None or block.type != _REQUEST:
        return f"PEM block type must be {_REQUEST}"
    try:
        request = read_request(block.content)
    except ValueError:
        return _outer_error(block.content) or _inner_error(block.content)
    return _signature_error(request, block.content)


def organizations(text: bytes) -> list[str]:
    """Return the organizations in the subject of a certificate request; empty if the text is not a request."""
    for block in pem_blocks(text):
        with suppress(ValueError, TypeError):  # TypeError: a name in the subject is not text.
            names = read_request(block.content).subject
            return [str(name.value) for name in names.get_attributes_for_oid(x509.NameOID.ORGANIZATION_NAME)]
        break
    return []


def certificates_error(text: bytes) -> str | None:
    """Return the error of a PEM text that must contain only certificates; None if it is valid or empty."""
    blocks = list(pem_blocks(text))
    for block in blocks:
        if block.type != _CERTIFICATE:
            return f"only {_CERTIFICATE} PEM blocks are allowed, found {quoted(block.type)}"
        if block.has_headers:
            return "no PEM block headers are permitted"
        if not block.content:
            return f"found {_CERTIFICATE} PEM block containing 0 certificates"
        if fault := _concatenated_error(block.content):
            return fault
    return None if blocks or not text else f"must contain at least one {_CERTIFICATE} PEM block"


def _concatenated_error(content: bytes) -> str | None:
    """Return the error of a byte string of concatenated DER certificates; None if all certificates are valid."""
    while content:
        outer = der_sequence(content)
        rest = outer[1] if outer else b""
        element = content[: len(content) - len(rest)]
        if fault := certificate_error(element):
            return fault
        try:
            read_certificate(element)
        except ValueError:
            return "x509: malformed certificate"
        content = rest
    return None


def _signature_error(request: x509.CertificateSigningRequest, der: bytes) -> str | None:
    """Return the error of Go's ``CheckSignature``; None if the request is signed by the key that it contains.

    `der` is the encoded request.
    """
    try:
        key = request.public_key()
    except (UnsupportedAlgorithm, ValueError):
        return _UNIMPLEMENTED
    if isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name not in _CURVES:
        return "x509: unsupported elliptic curve"
    oid = request.signature_algorithm_oid.dotted_string
    if oid == _MD5_WITH_RSA:
        return "x509: cannot verify signature: insecure algorithm MD5-RSA"
    if oid == _RSA_PSS:
        algorithm, digest = "RSA", request.signature_hash_algorithm
    else:
        algorithm, digest = _ALGORITHMS.get(oid, ("", None))
    found = next((name for key_type, name in _GO_TYPES.items() if isinstance(key, key_type)), "")
    if not algorithm or not found:
        return _UNIMPLEMENTED
    needed, refusal = _REFUSALS[algorithm]
    if not isinstance(key, needed):
        return f"x509: signature algorithm specifies an {algorithm} public key, but have public key of type {found}"
    if isinstance(key, rsa.RSAPublicKey) and key.key_size < _SMALLEST_RSA_KEY:
        return (
            f"crypto/rsa: {key.key_size}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)"
        )
    try:
        _verify(key, request.signature, _signed_part(der), digest, pss=oid == _RSA_PSS)
    except InvalidSignature:
        # Go knows RSA-PSS only with a salt as long as the digest. For any other salt length, it reports an unknown
        # algorithm, even if the signature is valid.
        return _UNIMPLEMENTED if oid == _RSA_PSS and request.is_signature_valid else refusal
    return None


def _verify(
    key: CertificatePublicKeyTypes, signature: bytes, signed: bytes, digest: HashAlgorithm | None, *, pss: bool
) -> None:
    """Raise InvalidSignature unless the public key verifies the signature of the bytes `signed`.

    `digest` is the signature's hash algorithm; None for Ed25519. `pss` is True for RSA signatures with the padding PSS,
    and False for PKCS #1 v1.5.
    """
    if isinstance(key, ed25519.Ed25519PublicKey):
        key.verify(signature, signed)
    elif isinstance(key, ec.EllipticCurvePublicKey) and digest:
        key.verify(signature, signed, ec.ECDSA(digest))
    elif isinstance(key, rsa.RSAPublicKey) and digest:
        key.verify(signature, signed, PSS(MGF1(digest), digest.digest_size) if pss else PKCS1v15(), digest)


def _signed_part(der: bytes) -> bytes:
    """Return the bytes of a certificate request that its signature covers, in their original encoding."""
    outer = der_sequence(der)
    inner = der_sequence(outer[0]) if outer else None
    assert outer is not None
    assert inner is not None
    return outer[0][: len(outer[0]) - len(inner[1])]


def _outer_error(der: bytes) -> str | None:
    """Return the error of Go's ``encoding/asn1`` for the outer ASN.1 sequence; None if it is valid."""
    if not der:
        return "asn1: syntax error: sequence truncated"
    first = der[0]
    if first & _MULTIBYTE_TAG == _MULTIBYTE_TAG:
        return None
    length, start = _length(der)
    if isinstance(length, str):
        return length
    tag_class, tag, compound = first >> 6, first & _MULTIBYTE_TAG, bool(first & 0x20)
    if (tag_class, tag, compound) != (0, _SEQUENCE_TAG, True):
        found = f"{{class:{tag_class} tag:{tag} length:{length} isCompound:{str(compound).lower()}}}"
        where = f"({_SEQUENCE_TAG} vs {found}) {_NO_PARAMETERS} certificateRequest @{start}"
        return f"asn1: structure error: tags don't match {where}"
    if start + length > len(der):
        return "asn1: syntax error: data truncated"
    return None if length else "asn1: syntax error: sequence truncated"


def _inner_error(der: bytes) -> str:
    """Return Go's error for a certificate request that cannot be parsed, although its outer ASN.1 sequence is valid."""
    outer = der_sequence(der)
    if outer and outer[1]:
        with suppress(ValueError):
            read_request(der[: -len(outer[1])])
            return "asn1: syntax error: trailing data"
    return _MALFORMED


def _length(der: bytes) -> tuple[int | str, int]:
    """Return the length in a DER header, and the offset of the content (``parseTagAndLength``).

    If the length is malformed, return Go's error message and 0 instead.
    """
    truncated = "asn1: syntax error: truncated tag or length"
    if len(der) < 2:
        return truncated, 0
    if der[1] < _LONG_FORM:
        return der[1], 2
    count = der[1] & ~_LONG_FORM
    if not count:
        return "asn1: syntax error: indefinite length found (not DER)", 0
    length = 0
    for at in range(2, 2 + count):
        if at >= len(der):
            return truncated, 0
        if length >= 1 << 23:
            return "asn1: structure error: length too large", 0
        length = length << 8 | der[at]
        if not length:
            return "asn1: structure error: superfluous leading zeros in length", 0
    return (length, 2 + count) if length >= _LONG_FORM else ("asn1: structure error: non-minimal length", 0)
