"""The certificate with which the server is reached over TLS."""

import ssl
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_NAMES: Final = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
_ADDRESSES: Final = ("127.0.0.1", "::1")
_LIFETIME: Final = timedelta(days=365)


class TlsOptions(NamedTuple):
    """Options of TLS. Without files, the server makes a certificate authority and a certificate at each start."""

    certificate_file: Path | None = None
    """PEM file with the certificate of the server, and the certificates of its issuers behind it."""
    key_file: Path | None = None
    """PEM file with the private key of the certificate."""


class ServingCertificate(NamedTuple):
    """A certificate with its private key, in PEM."""

    certificate: bytes
    key: bytes
    authority: bytes
    """The certificate that clients must trust."""

    @classmethod
    def of(cls, options: TlsOptions, host: str) -> "ServingCertificate":
        """Read the files of the options, or create a certificate for this host if there are none.

        Raises ValueError, with one line, if only one of the two files is given or one cannot be read.
        """
        certificate_file, key_file = options
        if certificate_file is None and key_file is None:
            return _created(host)
        if certificate_file is None or key_file is None:
            raise ValueError("the certificate and the private key of the server must be given together")
        try:
            certificate, key = certificate_file.read_bytes(), key_file.read_bytes()
        except OSError as error:
            raise ValueError(f"cannot read the certificate of the server: {error}") from None
        return cls(certificate, key, certificate)

    def context(self, client_authorities: "Sequence[Certificate]" = ()) -> ssl.SSLContext:
        """Return the context of the server: TLS 1.2 and later, and HTTP/1.1 by ALPN.

        If there are `client_authorities`, clients are asked for a certificate, which the handshake does not verify.

        Raises ValueError, with one line, if the key does not fit the certificate, or if one of them is malformed.
        """
        if client_authorities:
            # pyOpenSSL is imported if clients may have certificates.
            from memkube.http.client_certificates import RequestingContext  # noqa: PLC0415

            return RequestingContext(self.certificate, self.key, client_authorities)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        context.options |= ssl.OP_NO_RENEGOTIATION
        # The ssl module loads keys from files only.
        with tempfile.TemporaryDirectory(prefix="memkube-") as folder:
            files = Path(folder) / "certificate", Path(folder) / "key"
            for file, content in zip(files, (self.certificate, self.key), strict=True):
                file.touch(mode=0o600)
                file.write_bytes(content)
            try:
                context.load_cert_chain(*files)
            except ssl.SSLError as error:
                raise ValueError(f"cannot use the certificate of the server: {error.reason or error}") from None
        return context


def _created(host: str) -> ServingCertificate:
    # Certificates are made by the authority of CertificateSigningRequests, which is imported if TLS is chosen.
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: PLC0415
    from cryptography.x509.oid import NameOID  # noqa: PLC0415

    from memkube.controllers.certificates.authority import CertificateAuthority  # noqa: PLC0415
    from memkube.controllers.certificates.requested import RequestedCertificate  # noqa: PLC0415

    now = datetime.now(UTC)
    authority = CertificateAuthority.created(now)
    key = ec.generate_private_key(ec.SECP256R1())
    names: list[x509.GeneralName] = [x509.DNSName(name) for name in _NAMES]
    addresses = {ip_address(address) for address in _ADDRESSES}
    try:
        addresses.add(ip_address(host))
    except ValueError:
        names.append(x509.DNSName(host))
    names += [x509.IPAddress(address) for address in sorted(addresses, key=str)]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "memkube")])
    builder = x509.CertificateSigningRequestBuilder(subject)
    request = builder.add_extension(x509.SubjectAlternativeName(names), critical=False).sign(key, SHA256())
    usages = ("digital signature", "server auth")
    certificate = authority.signed(RequestedCertificate(request, frozenset(usages)), usages, _LIFETIME, now)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return ServingCertificate(certificate, pem, authority.certificate.public_bytes(Encoding.PEM))
