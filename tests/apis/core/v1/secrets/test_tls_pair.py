from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from memkube.apis.core.v1.secrets.tls_pair import pair_error

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
SKIPPED = "after skipping PEM blocks of the following types:"
SWITCHED = "certificate input, but did find a private key; PEM inputs may have been switched"
CERTIFICATE = b"\x30\x02\x30\x00"


def pem(name: str, content: bytes = CERTIFICATE) -> bytes:
    return b"-----BEGIN %b-----\n%b\n-----END %b-----\n" % (name.encode(), b64encode(content), name.encode())


@pytest.mark.parametrize(
    ("certificate", "key", "fault"),
    [
        (b"", b"", "tls: failed to find any PEM data in certificate input"),
        (
            pem("RSA PRIVATE KEY"),
            b"",
            f"tls: failed to find certificate PEM data in {SWITCHED}",
        ),
        (
            pem("A") + pem("B"),
            b"",
            f'tls: failed to find "CERTIFICATE" PEM block in certificate input {SKIPPED} [A B]',
        ),
        (pem("CERTIFICATE"), b"x", "tls: failed to find any PEM data in key input"),
        (
            pem("CERTIFICATE"),
            pem("CERTIFICATE"),
            "tls: found a certificate rather than a key in the PEM for the private key",
        ),
        (
            pem("CERTIFICATE"),
            pem("PUBLIC KEY"),
            f'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input {SKIPPED} [PUBLIC KEY]',
        ),
        (pem("CERTIFICATE", b"foo"), pem("PRIVATE KEY"), "x509: malformed certificate"),
        (pem("CERTIFICATE", CERTIFICATE + b"x"), pem("PRIVATE KEY"), "x509: trailing data"),
        (pem("CERTIFICATE", b"\x30\x00"), pem("PRIVATE KEY"), "x509: malformed tbs certificate"),
    ],
)
def test_what_cannot_be_read_is_named(certificate: bytes, key: bytes, fault: str) -> None:
    assert pair_error(certificate, key) == fault


def certificate_of(key: Key) -> bytes:
    """Return a self-signed certificate of this key, in PEM."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "web")])
    now = datetime(2026, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    return builder.sign(key, None if isinstance(key, ed25519.Ed25519PrivateKey) else SHA256()).public_bytes(
        Encoding.PEM
    )


def written(key: Key | ed448.Ed448PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


RSA = rsa.generate_private_key(65537, 2048)
CURVE = ec.generate_private_key(ec.SECP256R1())
EDWARDS = ed25519.Ed25519PrivateKey.generate()


@pytest.mark.parametrize("key", [RSA, CURVE, EDWARDS])
def test_a_certificate_and_its_key_are_found_among_others(key: Key) -> None:
    assert pair_error(pem("A") + certificate_of(key), pem("EC PARAMETERS") + written(key)) is None


@pytest.mark.parametrize(
    ("certificate", "key", "fault"),
    [
        (RSA, written(rsa.generate_private_key(65537, 2048)), "tls: private key does not match public key"),
        (CURVE, written(ec.generate_private_key(ec.SECP256R1())), "tls: private key does not match public key"),
        (EDWARDS, written(RSA), "tls: private key type does not match public key type"),
        (
            EDWARDS,
            written(ed448.Ed448PrivateKey.generate()),
            "tls: found unknown private key type in PKCS#8 wrapping",
        ),
        (RSA, pem("PRIVATE KEY"), "tls: failed to parse private key"),
    ],
)
def test_a_key_that_belongs_to_another_certificate_is_named(certificate: Key, key: bytes, fault: str) -> None:
    assert pair_error(certificate_of(certificate), key) == fault


def test_what_is_no_base64_is_passed_over() -> None:
    broken = b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"
    assert pair_error(broken, b"") == "tls: failed to find any PEM data in certificate input"
