from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from memkube.apis.authentication.v1.tokens.errors import BadSignatureError
from memkube.apis.authentication.v1.tokens.keys import KeySet, PrivateKey, read_key_set
from tests.apis.authentication.v1.tokens.conftest import new_key

PARAMETERS = b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"


@pytest.fixture(scope="module")
def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def private_pem(key: PrivateKey, form: PrivateFormat) -> bytes:
    return key.private_bytes(Encoding.PEM, form, NoEncryption())


def public_pem(written: bytes) -> bytes:
    return (
        load_pem_private_key(written, None).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("form", [PrivateFormat.TraditionalOpenSSL, PrivateFormat.PKCS8])
def test_rsa_keys_sign_with_rs256(rsa_key: rsa.RSAPrivateKey, form: PrivateFormat, tmp_path: Path) -> None:
    keys = read_key_set(written(tmp_path / "key", private_pem(rsa_key, form)), ())
    token = keys.sign(b'{"a":1}')
    assert jwt.get_unverified_header(token)["alg"] == "RS256"
    assert keys.verified(token) == b'{"a":1}'


@pytest.mark.parametrize(
    ("curve", "algorithm"), [(ec.SECP256R1(), "ES256"), (ec.SECP384R1(), "ES384"), (ec.SECP521R1(), "ES512")]
)
def test_elliptic_curves_have_algorithms_of_their_own(curve: ec.EllipticCurve, algorithm: str) -> None:
    key = ec.generate_private_key(curve)
    keys = KeySet(key, [key.public_key()])
    assert jwt.get_unverified_header(keys.sign(b"{}"))["alg"] == algorithm
    assert keys.as_jwks()["keys"][0]["alg"] == algorithm


def test_other_curves_are_refused() -> None:
    key = ec.generate_private_key(ec.SECP256K1())
    with pytest.raises(ValueError, match="unknown private key curve, must be 256, 384, or 521"):
        KeySet(key, [key.public_key()])


def test_blocks_that_are_no_keys_are_passed_over(tmp_path: Path) -> None:
    keys = read_key_set(written(tmp_path / "key", PARAMETERS + new_key()), ())
    assert keys.verified(keys.sign(b"{}")) == b"{}"


def test_a_file_without_a_private_key_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "key", public_pem(new_key()))
    with pytest.raises(ValueError, match="data does not contain a valid RSA or ECDSA private key"):
        read_key_set(path, ())


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"failed to parse service-account-issuer-key-file: .*No such file"):
        read_key_set(tmp_path / "none", ())


def test_tokens_of_a_key_that_was_replaced_are_still_good(tmp_path: Path) -> None:
    old, new = new_key(), new_key()
    token = read_key_set(written(tmp_path / "old", old), ()).sign(b"{}")
    both = written(tmp_path / "both", new + public_pem(old))
    keys = read_key_set(written(tmp_path / "new", new), [both])
    assert keys.verified(token) == b"{}"
    assert keys.verified(keys.sign(b"{}")) == b"{}"


def test_the_signing_key_does_not_verify_where_other_keys_are_named(tmp_path: Path) -> None:
    other = written(tmp_path / "other", public_pem(new_key()))
    keys = read_key_set(written(tmp_path / "key", new_key()), [other])
    with pytest.raises(BadSignatureError, match="invalid signature, no keys found"):
        keys.verified(keys.sign(b"{}"))


def test_a_token_that_names_no_key_is_tried_with_all(tmp_path: Path) -> None:
    pem = new_key()
    keys = read_key_set(written(tmp_path / "key", pem), [written(tmp_path / "all", new_key() + pem)])
    assert keys.verified(jwt.encode({}, pem, "ES256")) == b"{}"
