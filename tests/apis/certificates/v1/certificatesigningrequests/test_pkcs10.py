import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.hashes import SHA224, SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from memkube.apis.certificates.v1.certificatesigningrequests.pkcs10 import (
    certificates_error,
    organizations,
    request_error,
)
from tests.apis.certificates.v1.certificatesigningrequests.requests import (
    Key,
    certificate_pem,
    pem,
    request_pem,
    signing_request,
    subject,
)

NOT_A_REQUEST = "PEM block type must be CERTIFICATE REQUEST"
MISMATCH = "asn1: structure error: tags don't match"
NO_PARAMETERS = (
    "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> "
    "stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest"
)

RSA_SHA1 = b"""-----BEGIN CERTIFICATE REQUEST-----
MIIBSzCBtQIBADAMMQowCAYDVQQDDAFhMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB
iQKBgQC0IPg5wVAlKliKXkbLItlMVITQlGReLkHxdxF0xTUm5KKfjpcBxKr8yKEY
gRD4YguQRF7zkJSj1mBh/LWvCG/6f6wHKJgfp5yvxzqTIT0LQuRMCSsV2EO5uJ4z
+8G1nM627OpkXnMtuUhEe2dm56BRdTeJHrd4rVKxmHaLa8nWPQIDAQABoAAwDQYJ
KoZIhvcNAQEFBQADgYEAWiCvxjJ0H0zhNmjDgTLRpkuCcGsW5bVRa2L38EH1G6+V
y9k2ZMP32JmwDvgBedJTIoVMuyN/tdc1dWjagxnNzJ27f02Tw0efOcRKq6+1vHV5
jD7OhZ3CuysG3PH4RUPIrffahKs7851NjRwvUydAXKQ+Mc39BXwWPqlbpUh3G4c=
-----END CERTIFICATE REQUEST-----"""
ECDSA_SHA1 = b"""-----BEGIN CERTIFICATE REQUEST-----
MIHFMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BGOdBUnYWNjnCOuJUl/I+hbo07q+cgn6RQpWHUMrEnVhBN4azk19w589kd+B0B23
qLQvR3CE6lXiGgxjouk/sfSgADAJBgcqhkjOPQQBA0gAMEUCIGlBuW18QblqB6iS
Fcd97Z/qhAN0VlggAy5EZcdz3RPiAiEAqVjNe40LsnLkTIdJQIOw8u/I6KPXxseo
beuE/TnmXaE=
-----END CERTIFICATE REQUEST-----"""
RSA_512 = b"""-----BEGIN CERTIFICATE REQUEST-----
MIHFMHECAQAwDDEKMAgGA1UEAwwBYTBcMA0GCSqGSIb3DQEBAQUAA0sAMEgCQQC8
266YCw6FKA66VZNbov+kUtqEkR7mHfwT6fowPWKLdokyreTyhSlO2O1UkGx+8o7F
DrAu3gB57viaUgRohzifAgMBAAGgADANBgkqhkiG9w0BAQsFAANBAGSyXIooNVQg
snMwH2nkL3WsZnvx12AHBPHQw++DvtXpX5twvIztMwxXIPFEgDoUfSZAHUIi9sIa
idtUdVKMaHE=
-----END CERTIFICATE REQUEST-----"""


@pytest.mark.parametrize(
    "key",
    [
        rsa.generate_private_key(65537, 2048),
        ec.generate_private_key(ec.SECP384R1()),
        ed25519.Ed25519PrivateKey.generate(),
    ],
)
def test_keys_of_any_kind_may_sign_their_request(key: Key) -> None:
    assert request_error(signing_request(key=key).public_bytes(Encoding.PEM)) is None


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        (rsa.generate_private_key(65537, 2048), "crypto/rsa: verification error"),
        (ec.generate_private_key(ec.SECP256R1()), "x509: ECDSA verification failure"),
        (ed25519.Ed25519PrivateKey.generate(), "x509: Ed25519 verification failure"),
    ],
)
def test_a_request_that_was_changed_is_refused(key: Key, fault: str) -> None:
    written = signing_request("developers", key).public_bytes(Encoding.DER)
    changed = written.replace(b"developers", b"developerz")
    assert request_error(pem("CERTIFICATE REQUEST", changed)) == fault


@pytest.mark.parametrize("key", [dsa.generate_private_key(1024), ed448.Ed448PrivateKey.generate()])
def test_keys_that_go_does_not_verify_are_refused(key: Key) -> None:
    fault = "x509: cannot verify signature: algorithm unimplemented"
    assert request_error(signing_request(key=key).public_bytes(Encoding.PEM)) == fault


@pytest.mark.parametrize("text", [RSA_SHA1, ECDSA_SHA1])
def test_a_signature_over_a_sha1_digest_is_verified(text: bytes) -> None:
    assert request_error(text) is None


def test_a_signature_over_a_sha224_digest_is_not_verified() -> None:
    key = rsa.generate_private_key(65537, 2048)
    request = x509.CertificateSigningRequestBuilder().subject_name(subject()).sign(key, SHA224())
    fault = "x509: cannot verify signature: algorithm unimplemented"
    assert request_error(request.public_bytes(Encoding.PEM)) == fault


@pytest.mark.parametrize(
    ("salt", "fault"), [(32, None), (20, "x509: cannot verify signature: algorithm unimplemented")]
)
def test_the_salt_of_rsa_pss_is_as_long_as_the_digest(salt: int, fault: str | None) -> None:
    key, padding = rsa.generate_private_key(65537, 2048), PSS(MGF1(SHA256()), salt)
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject())
    assert request_error(builder.sign(key, SHA256(), rsa_padding=padding).public_bytes(Encoding.PEM)) == fault


def test_small_rsa_keys_are_refused() -> None:
    fault = "crypto/rsa: 512-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)"
    assert request_error(RSA_512) == fault


def test_curves_that_go_does_not_know_are_refused() -> None:
    request = signing_request(key=ec.generate_private_key(ec.SECP256K1()))
    assert request_error(request.public_bytes(Encoding.PEM)) == "x509: unsupported elliptic curve"


def test_a_request_of_an_unknown_version_is_refused() -> None:
    der = signing_request().public_bytes(Encoding.DER).replace(b"\x02\x01\x00", b"\x02\x01\x1a", 1)
    assert request_error(pem("CERTIFICATE REQUEST", der)) == "asn1: structure error: malformed certificate request"


def test_nothing_may_follow_a_request_in_its_block() -> None:
    content = signing_request().public_bytes(Encoding.DER)
    assert request_error(pem("CERTIFICATE REQUEST", content + b"x")) == "asn1: syntax error: trailing data"


@pytest.mark.parametrize("text", [b"", b"hello", certificate_pem(), pem("NEW CERTIFICATE REQUEST", b"0")])
def test_only_a_request_is_one(text: bytes) -> None:
    assert request_error(text) == NOT_A_REQUEST


def test_the_first_block_counts() -> None:
    assert request_error(b"words\n" + request_pem() + certificate_pem()) is None
    assert request_error(certificate_pem() + request_pem()) == NOT_A_REQUEST


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "asn1: syntax error: sequence truncated"),
        (b"0", "asn1: syntax error: truncated tag or length"),
        (b"0\x00", "asn1: syntax error: sequence truncated"),
        (b"0\x05abc", "asn1: syntax error: data truncated"),
        (b"0\x80", "asn1: syntax error: indefinite length found (not DER)"),
        (b"0\x82\x01", "asn1: syntax error: truncated tag or length"),
        (b"0\x81\x00", "asn1: structure error: superfluous leading zeros in length"),
        (b"0\x81\x01a", "asn1: structure error: non-minimal length"),
        (b"0\x84\xff\xff\xff\xff", "asn1: structure error: length too large"),
        (
            b"hello",
            f"{MISMATCH} (16 vs {{class:1 tag:8 length:101 isCompound:true}}) {NO_PARAMETERS} @2",
        ),
    ],
)
def test_what_does_not_begin_like_a_request_is_refused_as_go_does(content: bytes, fault: str) -> None:
    assert request_error(pem("CERTIFICATE REQUEST", content)) == fault


def test_the_organizations_of_a_request_are_read() -> None:
    assert organizations(request_pem("system:masters")) == ["system:masters"]
    assert organizations(b"") == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"", None),
        (certificate_pem(), None),
        (certificate_pem() + certificate_pem(), None),
        (b"words\n" + certificate_pem() + b"words\n", None),
        (b"words", "must contain at least one CERTIFICATE PEM block"),
        (request_pem(), 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'),
        (certificate_pem().replace(b"-----\n", b"-----\na: b\n\n", 1), "no PEM block headers are permitted"),
        (pem("CERTIFICATE", b""), "found CERTIFICATE PEM block containing 0 certificates"),
        (pem("CERTIFICATE", b"hello"), "x509: malformed certificate"),
        (pem("CERTIFICATE", b"0\x03abc"), "x509: malformed tbs certificate"),
    ],
)
def test_a_certificate_comes_in_blocks_of_its_own(text: bytes, fault: str | None) -> None:
    assert certificates_error(text) == fault
