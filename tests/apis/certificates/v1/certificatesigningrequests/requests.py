"""Certificate signing requests and certificates for tests."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

_Hashing = dsa.DSAPrivateKey | ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
Key = _Hashing | ed448.Ed448PrivateKey | ed25519.Ed25519PrivateKey


def subject(organization: str = "developers") -> x509.Name:
    """Return the X.509 name of alice in this organization."""
    names = {NameOID.COMMON_NAME: "alice", NameOID.ORGANIZATION_NAME: organization}
    return x509.Name([x509.NameAttribute(oid, value) for oid, value in names.items()])


def signing_request(organization: str = "developers", key: Key | None = None) -> x509.CertificateSigningRequest:
    """Return an X.509 certificate request."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    algorithm = SHA256() if isinstance(key, _Hashing) else None
    return x509.CertificateSigningRequestBuilder().subject_name(subject(organization)).sign(key, algorithm)


def request_pem(organization: str = "developers") -> bytes:
    """Return a certificate request in PEM."""
    return signing_request(organization).public_bytes(Encoding.PEM)


def certificate_pem() -> bytes:
    """Return a self-signed certificate in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime(2026, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder().subject_name(subject()).issuer_name(subject()).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM)


def pem(of_type: str, content: bytes) -> bytes:
    """Return a PEM block with this content."""
    return b"-----BEGIN %b-----\n%b\n-----END %b-----\n" % (of_type.encode(), b64encode(content), of_type.encode())


def manifest(name: str, asked: bytes | None = None, **spec: Any) -> dict[str, Any]:
    """Return a CertificateSigningRequest object."""
    request = b64encode(asked or request_pem()).decode()
    needed = {"request": request, "signerName": "example.com/signer", "usages": ["client auth"]}
    return {"metadata": {"name": name}, "spec": {**needed, **spec}}
