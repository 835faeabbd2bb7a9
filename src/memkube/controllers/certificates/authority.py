"""The certificate authority that signs requested certificates (``authority``), and the template of a certificate.

A server creates its authority when it signs the first certificate.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import randbits
from typing import Final, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID, NameOID, ObjectIdentifier

from memkube.apimachinery.model import Document
from memkube.controllers.certificates.requested import RequestedCertificate
from memkube.controllers.framework.saved_values import SIGNING_AUTHORITY
from memkube.registry.replicas.shared_state import SharedState

SigningKey: TypeAlias = ec.EllipticCurvePrivateKey | RSAPrivateKey | Ed25519PrivateKey
"""Private key of a certificate authority."""
_NAME: Final = "kubernetes"
_LIFETIME: Final = timedelta(days=3650)
_BACKDATE: Final = timedelta(minutes=5)
_SHORT: Final = timedelta(hours=8)
"""A requested lifetime that is shorter than this is counted from the signing of the certificate.

A longer lifetime is counted from ``notBefore``, which is 5 minutes before the certificate is signed.
"""
_SERIAL_BITS: Final = 128
_KEY_USAGES: Final = {
    "digital signature": 0,
    "signing": 0,
    "content commitment": 1,
    "key encipherment": 2,
    "data encipherment": 3,
    "key agreement": 4,
    "cert sign": 5,
    "crl sign": 6,
    "encipher only": 7,
    "decipher only": 8,
}
"""Bit numbers of the X.509 extension Key Usage, by the names of key usages in the API."""
_EXTENDED_USAGES: Final = {
    "any": ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE,
    "server auth": ExtendedKeyUsageOID.SERVER_AUTH,
    "client auth": ExtendedKeyUsageOID.CLIENT_AUTH,
    "code signing": ExtendedKeyUsageOID.CODE_SIGNING,
    "email protection": ExtendedKeyUsageOID.EMAIL_PROTECTION,
    "s/mime": ExtendedKeyUsageOID.EMAIL_PROTECTION,
    "ipsec end system": ObjectIdentifier("1.3.6.1.5.5.7.3.5"),
    "ipsec tunnel": ObjectIdentifier("1.3.6.1.5.5.7.3.6"),
    "ipsec user": ObjectIdentifier("1.3.6.1.5.5.7.3.7"),
    "timestamping": ExtendedKeyUsageOID.TIME_STAMPING,
    "ocsp signing": ExtendedKeyUsageOID.OCSP_SIGNING,
    "microsoft sgc": ObjectIdentifier("1.3.6.1.4.1.311.10.3.3"),
    "netscape sgc": ObjectIdentifier("2.16.840.1.113730.4.1"),
}


class AuthorityExpired(Exception):
    """Raised if the certificate of the authority has expired, so that it cannot sign."""


@dataclass(frozen=True, slots=True)
class CertificateAuthority:
    """A certificate with its private key, which signs other certificates."""

    certificate: x509.Certificate
    key: SigningKey

    @classmethod
    def created(cls, now: datetime) -> "CertificateAuthority":
        """Create an authority with a new key, which is valid for ten years."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
        builder = x509.CertificateBuilder(name, name, key.public_key(), _serial_number())
        builder = builder.not_valid_before(now - _BACKDATE).not_valid_after(now + _LIFETIME)
        usages = _key_usage(["digital signature", "key encipherment", "cert sign"])
        for extension, is_critical in (
            (usages, True),
            (x509.BasicConstraints(ca=True, path_length=None), True),
            (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
            (x509.SubjectAlternativeName([x509.DNSName(_NAME)]), False),
        ):
            builder = builder.add_extension(extension, is_critical)
        return cls(builder.sign(key, SHA256()), key)

    @classmethod
    def from_document(cls, saved: Document) -> "CertificateAuthority":
        """Decode a certificate authority from the JSON data that `to_document` returned.

        Raises ValueError if it is invalid.
        """
        key = load_pem_private_key(saved["key"].encode(), None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise ValueError("the key of the certificate authority is not an elliptic curve key")
        return cls(x509.load_pem_x509_certificate(saved["certificate"].encode()), key)

    def to_document(self) -> Document:
        """Return the authority's certificate and private key in PEM, as JSON data."""
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return {"certificate": self.certificate.public_bytes(Encoding.PEM).decode(), "key": key.decode()}

    def signed(
        self, requested: RequestedCertificate, usages: Sequence[str], lifetime: timedelta, now: datetime
    ) -> bytes:
        """Return a certificate signed by this authority, in PEM (``PermissiveSigningPolicy``).

        The certificate has the names in the request `requested`, none of its other extensions, and the key usages
        `usages`. It is valid for `lifetime`, but not longer than the authority. Raises AuthorityExpired if the
        authority has expired, and ValueError if the request has invalid names.
        """
        end, last = now + lifetime - (_BACKDATE if lifetime >= _SHORT else timedelta()), self._end
        if now >= last:
            raise AuthorityExpired(f"refusing to sign a certificate that expired in the past: NotAfter={last}")
        builder = x509.CertificateBuilder(
            self.certificate.subject, requested.subject, requested.public_key, _serial_number()
        )
        builder = builder.not_valid_before(now - _BACKDATE).not_valid_after(min(end, last))
        if any(usage in _KEY_USAGES for usage in usages):
            builder = builder.add_extension(_key_usage(usages), critical=True)
        extended = [oid for usage, oid in _EXTENDED_USAGES.items() if usage in usages]
        if extended:
            builder = builder.add_extension(x509.ExtendedKeyUsage(dict.fromkeys(extended)), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        own = self._key_identifier
        if own is not None and requested.subject != self.certificate.subject:
            issuer = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own)
            builder = builder.add_extension(issuer, critical=False)
        if requested.names:
            names = x509.SubjectAlternativeName(requested.names)
            builder = builder.add_extension(names, critical=not list(requested.subject))
        return builder.sign(self.key, _hash_for(self.key)).public_bytes(Encoding.PEM)

    def issued(
        self, builder: x509.CertificateSigningRequestBuilder, usage: str, lifetime: timedelta, now: datetime
    ) -> tuple[bytes, bytes]:
        """Create a private key. Return a certificate for it, and the key, both in PEM.

        `builder` is a certificate request that is not signed yet; the certificate gets the names in it. `usage` is an
        extended key usage, such as ``server auth``. The certificate is valid for `lifetime`, but not longer than the
        authority.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        usages = ("digital signature", usage)
        requested = RequestedCertificate(builder.sign(key, SHA256()), frozenset(usages))
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return self.signed(requested, usages, lifetime, now), pem

    @property
    def _key_identifier(self) -> x509.SubjectKeyIdentifier | None:
        try:
            return self.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        except x509.ExtensionNotFound:
            return None

    @property
    def _end(self) -> datetime:
        return self.certificate.not_valid_after_utc


def _hash_for(key: SigningKey) -> SHA256 | SHA384 | SHA512 | None:
    """Return the hash function that Go's ``x509.CreateCertificate`` signs with; None for a key that has its own."""
    if isinstance(key, Ed25519PrivateKey):
        return None
    if isinstance(key, RSAPrivateKey) or key.curve.key_size <= SHA256.digest_size * 8:
        return SHA256()
    return SHA384() if key.curve.key_size <= SHA384.digest_size * 8 else SHA512()


class SigningAuthority:
    """The certificate authority that signs CertificateSigningRequests.

    All servers on one storage share it, and snapshots contain it.
    """

    def __init__(self, state: SharedState) -> None:
        self._state = state
        self._saved: Document | None = None
        self._authority: CertificateAuthority | None = None

    async def current(self, now: datetime) -> CertificateAuthority:
        """Return the certificate authority of this storage. Create it if the storage has none."""
        saved = self._state.get(SIGNING_AUTHORITY, "") or await self._state.newest(SIGNING_AUTHORITY, "")
        if saved is None:
            created = CertificateAuthority.created(now).to_document()
            saved = await self._state.first(SIGNING_AUTHORITY, "", created)
        if self._authority is None or saved != self._saved:
            self._saved, self._authority = saved, CertificateAuthority.from_document(saved)
        return self._authority


def _serial_number() -> int:
    return randbits(_SERIAL_BITS) or 1


def _key_usage(usages: Iterable[str]) -> x509.UnrecognizedExtension:
    """Return the X.509 extension Key Usage for key usages of the API.

    The extension is encoded here as a DER bit string without trailing zeros. ``x509.KeyUsage`` cannot be used, because
    it refuses "encipher only" without "key agreement"; the API accepts this.
    """
    bits = {_KEY_USAGES[usage] for usage in usages if usage in _KEY_USAGES}
    size = max(bits) + 1
    unused = -size % 8
    value = sum(1 << (size - 1 - bit) for bit in bits) << unused
    content = bytes([unused]) + value.to_bytes((size + unused) // 8)
    return x509.UnrecognizedExtension(ExtensionOID.KEY_USAGE, bytes([0x03, len(content)]) + content)
