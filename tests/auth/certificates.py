"""Certificate authorities, and the certificates of clients."""

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from memkube.server.server import Server

DAY = timedelta(days=1)
NOW = datetime.now(UTC)
UID = ObjectIdentifier("1.3.6.1.4.1.57683.2")
CLIENT_AUTH = ExtendedKeyUsageOID.CLIENT_AUTH


class Signed(NamedTuple):
    """A certificate, its private key, and the certificates of intermediate CAs."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    issuers: tuple[x509.Certificate, ...] = ()

    @property
    def pem(self) -> bytes:
        """The certificate and its intermediates in PEM."""
        return b"".join(one.public_bytes(Encoding.PEM) for one in (self.certificate, *self.issuers))

    @property
    def key_pem(self) -> bytes:
        """The private key in PEM."""
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def written(self, folder: Path, name: str) -> tuple[Path, Path]:
        """Write a certificate file and a key file, and return their paths."""
        files = folder / f"{name}.crt", folder / f"{name}.key"
        files[0].write_bytes(self.pem)
        files[1].write_bytes(self.key_pem)
        return files


class Authority(NamedTuple):
    """A certificate authority (CA)."""

    own: Signed

    @classmethod
    def created(cls, name: str = "clients") -> "Authority":
        """Create a CA with a self-signed certificate."""
        return cls(_signed(_name(name), None, x509.BasicConstraints(ca=True, path_length=None)))

    def intermediate(self, name: str = "intermediate") -> "Authority":
        """Create a CA whose certificate this CA signs."""
        made = _signed(_name(name), self.own, x509.BasicConstraints(ca=True, path_length=None))
        return Authority(made._replace(issuers=(made.certificate,)))

    def client(
        self,
        name: str = "alice",
        groups: Sequence[str] = (),
        uids: Sequence[str] = (),
        days: tuple[int, int] = (-1, 1),
        usage: ObjectIdentifier | None = CLIENT_AUTH,
    ) -> Signed:
        """Sign a client's certificate.

        `days` are the first and the last day of its validity, relative to today.
        """
        subject = _name(name, groups, uids)
        usages = () if usage is None else (x509.ExtendedKeyUsage([usage]),)
        return _signed(subject, self.own, *usages, days=days)._replace(issuers=self.own.issuers)

    def server(self, *names: str) -> Signed:
        """Sign a server's certificate for these host names."""
        alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        return _signed(x509.Name([]), self.own, alternatives)


def _name(common: str, groups: Sequence[str] = (), uids: Sequence[str] = ()) -> x509.Name:
    values = [(NameOID.ORGANIZATION_NAME, group) for group in groups] + [(UID, uid) for uid in uids]
    values += [(NameOID.COMMON_NAME, common)] if common else []
    return x509.Name([x509.NameAttribute(sort, value) for sort, value in values])


def _signed(
    subject: x509.Name, issuer: Signed | None, *extensions: x509.ExtensionType, days: tuple[int, int] = (-1, 3650)
) -> Signed:
    key = ec.generate_private_key(ec.SECP256R1())
    by = subject if issuer is None else issuer.certificate.subject
    builder = x509.CertificateBuilder(by, subject, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(NOW + days[0] * DAY).not_valid_after(NOW + days[1] * DAY)
    for extension in extensions:
        builder = builder.add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
    return Signed(builder.sign(key if issuer is None else issuer.key, SHA256()), key)


def context_of(server: Server, folder: Path, signed: Signed | None = None) -> ssl.SSLContext:
    """Return a TLS context of a client that trusts the server, with a client certificate if one is given."""
    context = ssl.create_default_context(cadata=server.authority.decode())
    if signed is not None:
        context.load_cert_chain(*signed.written(folder, f"client-{signed.certificate.serial_number}"))
    return context


def client_of(server: Server, folder: Path, signed: Signed | None = None, **options: Any) -> httpx.Client:
    """Return a client that trusts the server, with a client certificate if one is given."""
    return httpx.Client(base_url=server.url, verify=context_of(server, folder, signed), trust_env=False, **options)
