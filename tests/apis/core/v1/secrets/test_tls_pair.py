from base64 import b64encode

import pytest

from memkube.apis.core.v1.secrets.tls_pair import pair_fault

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
    assert pair_fault(certificate, key) == fault


def test_a_certificate_and_a_key_are_found_among_others() -> None:
    assert pair_fault(pem("A") + pem("CERTIFICATE"), pem("EC PARAMETERS") + pem("EC PRIVATE KEY")) is None


def test_what_is_no_base64_is_passed_over() -> None:
    broken = b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"
    assert pair_fault(broken, b"") == "tls: failed to find any PEM data in certificate input"
