from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from memkube.apimachinery.x509_objects import read_certificate, read_request

KEY = ec.generate_private_key(ec.SECP256R1())
NAME = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "alice")])


def test_a_certificate_of_an_unknown_version_is_malformed() -> None:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(NAME, NAME, KEY.public_key(), 1, now, now + timedelta(days=1))
    der = builder.sign(KEY, SHA256()).public_bytes(Encoding.DER)
    assert read_certificate(der).subject == NAME
    with pytest.raises(ValueError, match="26"):
        read_certificate(der.replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x1a"))


def test_a_request_of_an_unknown_version_is_malformed() -> None:
    der = x509.CertificateSigningRequestBuilder(NAME).sign(KEY, SHA256()).public_bytes(Encoding.DER)
    assert read_request(der).subject == NAME
    with pytest.raises(ValueError, match="26"):
        read_request(der.replace(b"\x02\x01\x00", b"\x02\x01\x1a", 1))
