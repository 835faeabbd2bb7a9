"""Signing and verification keys of service account tokens, and tokens as JSON Web Signatures.

This module is imported on first use, because importing ``cryptography`` is slow. Sources: ``pkg/serviceaccount/jwt.go``
and ``openidmetadata.go``, client-go's ``util/keyutil``.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
    load_der_public_key,
)
from jwt import PyJWS
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from jwt.exceptions import PyJWTError

from memkube.apimachinery.model import Document
from memkube.apimachinery.pem import pem_blocks
from memkube.apimachinery.x509_objects import read_certificate
from memkube.apis.authentication.v1.tokens.errors import BadSignatureError, NoTokenError

PrivateKey: TypeAlias = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
PublicKey: TypeAlias = rsa.RSAPublicKey | ec.EllipticCurvePublicKey

_RSA_BITS: Final = 2048
_RSA_EXPONENT: Final = 65537
_CURVES: Final = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}
_MEMBERS: Final = ("use", "kty", "kid", "crv", "alg", "x", "y", "n", "e")
_PRIVATE: Final = ("EC PRIVATE KEY", "RSA PRIVATE KEY", "PRIVATE KEY")
_REMEMBERED: Final = 1024
"""Maximum number of verified tokens that a key set remembers."""
_UNVERIFIED: Final = "go-jose/go-jose: error in cryptographic primitive"


class VerifyingKey:
    """A public key with its ID and signature algorithm. Raises ValueError if its elliptic curve is not supported."""

    def __init__(self, key: PublicKey) -> None:
        self.key = key
        self.algorithm = _algorithm(key)
        written = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.id = urlsafe_b64encode(sha256(written).digest()).rstrip(b"=").decode()

    def as_jwk(self) -> Document:
        """Return the public key as a JSON Web Key (RFC 7517)."""
        described: dict[str, Any]
        if isinstance(self.key, rsa.RSAPublicKey):
            described = RSAAlgorithm.to_jwk(self.key, as_dict=True)
        else:
            described = ECAlgorithm.to_jwk(self.key, as_dict=True)
        described |= {"use": "sig", "kid": self.id, "alg": self.algorithm}
        return {name: described[name] for name in _MEMBERS if name in described}


class KeySet:
    """The private key that signs new tokens, and the public keys that verify tokens.

    As in kube-apiserver, the public part of the signing key need not be among the public keys. If it is not, the server
    does not accept its own tokens.
    """

    def __init__(self, signing: PrivateKey, verifying: Sequence[PublicKey]) -> None:
        self._signing = signing
        self._signs_as = VerifyingKey(signing.public_key())
        self.verifying = [VerifyingKey(key) for key in verifying]
        self._jws = PyJWS()
        self._verified: dict[str, bytes] = {}

    def sign(self, payload: bytes) -> str:
        """Return a token with `payload`, JSON text, signed with the signing key, in compact serialization."""
        headers = {"typ": None, "kid": self._signs_as.id}
        return self._jws.encode(payload, self._signing, self._signs_as.algorithm, headers, sort_headers=True)

    def verified(self, token: str) -> bytes:
        """Return the payload of a token, if one of the keys verifies its signature.

        Verified tokens are remembered, because clients send the same token with each request. Raises NoTokenError if
        the text is not a signed token, and BadSignatureError if no key verifies it.
        """
        payload = self._verified.get(token)
        if payload is None:
            payload = self._verify(token)
            if len(self._verified) >= _REMEMBERED:
                self._verified.clear()
            self._verified[token] = payload
        return payload

    def _verify(self, token: str) -> bytes:
        try:
            named = self._jws.get_unverified_header(token).get("kid")
        except PyJWTError as error:
            raise NoTokenError(str(error)) from None
        keys = [key for key in self.verifying if not named or key.id == named]
        if not keys:
            raise BadSignatureError("invalid signature, no keys found")
        for key in keys:
            with suppress(PyJWTError):
                return bytes(self._jws.decode(token, key.key, [key.algorithm]))
        raise BadSignatureError(_UNVERIFIED)

    def as_pem(self) -> str:
        """Return the private signing key as PEM."""
        return self._signing.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    def as_jwks(self) -> Document:
        """Return the public keys of the verification keys as a JSON Web Key Set."""
        return {"keys": [key.as_jwk() for key in self.verifying]}


def new_key_set() -> KeySet:
    """Return a key set with a new RSA key."""
    key = rsa.generate_private_key(_RSA_EXPONENT, _RSA_BITS)
    return KeySet(key, [key.public_key()])


def key_set_of(pem: str) -> KeySet:
    """Parse a key that `KeySet.as_pem` returned. Raises ValueError if the text has no private key."""
    key = _private_key(pem.encode())
    if key is None:
        raise ValueError("the PEM text has no private key")
    return KeySet(key, [key.public_key()])


def read_key_set(signing: Path, verifying: Iterable[Path]) -> KeySet:
    """Read the signing key and the verification keys from files.

    The signing key verifies tokens only if there are no files with verification keys. Raises ValueError if a file has
    no key.
    """
    try:
        key = _private_key(signing.read_bytes())
    except OSError as error:
        raise ValueError(f"failed to parse service-account-issuer-key-file: {error}") from None
    if key is None:
        why = "data does not contain a valid RSA or ECDSA private key"
        where = f"error reading private key file {signing}"
        raise ValueError(f"failed to parse service-account-issuer-key-file: {where}: {why}")
    return KeySet(key, [found for path in verifying for found in _public_keys(path)] or [key.public_key()])


def _private_key(written: bytes) -> PrivateKey | None:
    """Return the first private key in `written`, a text with PEM blocks; None if it has no private key."""
    blocks = (block for block in pem_blocks(written) if block.type in _PRIVATE)
    return next((key for block in blocks if (key := _read_private(block.content)) is not None), None)


def _public_keys(path: Path) -> list[PublicKey]:
    """Return the public keys in a file that contains public keys, private keys or certificates."""
    try:
        keys = [_read_public(block.content) for block in pem_blocks(path.read_bytes())]
    except OSError as error:
        raise ValueError(f"failed to parse service-account-key-file: {error}") from None
    found = [key for key in keys if key is not None]
    if not found:
        why = "data does not contain any valid RSA or ECDSA public keys"
        raise ValueError(f"error reading public key file {path}: {why}")
    return found


def _read_private(content: bytes) -> PrivateKey | None:
    with suppress(ValueError, TypeError):
        key = load_der_private_key(content, None)
        if isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
            return key
    return None


def _read_public(content: bytes) -> PublicKey | None:
    private = _read_private(content)
    if private is not None:
        return private.public_key()
    for read in (load_der_public_key, lambda der: read_certificate(der).public_key()):
        with suppress(ValueError, TypeError):
            key = read(content)
            if isinstance(key, rsa.RSAPublicKey | ec.EllipticCurvePublicKey):
                return key
    return None


def _algorithm(key: PublicKey) -> str:
    if isinstance(key, rsa.RSAPublicKey):
        return "RS256"
    if key.curve.name not in _CURVES:
        raise ValueError("unknown private key curve, must be 256, 384, or 521")
    return _CURVES[key.curve.name]
