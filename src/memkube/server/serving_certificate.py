"""The server's TLS certificates: given as files, or generated at each start."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from memkube.apimachinery.ip_addresses import parse_ip
from memkube.auth.authentication.changing_files import ChangingFiles

if TYPE_CHECKING:
    from OpenSSL.SSL import Context

    from memkube.http.tls import KeyPair

_LOGGER: Final = logging.getLogger("memkube")
_NAMES: Final = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
_ADDRESSES: Final = ("127.0.0.1", "::1")
_LIFETIME: Final = timedelta(days=365)


class CertificateFiles(NamedTuple):
    """The files of a certificate, and the host names for which it is used (``--tls-sni-cert-key``)."""

    certificate: Path
    """PEM file with the server's certificate, followed by the certificates of its issuers."""
    key: Path
    """PEM file with the private key of the certificate."""
    names: tuple[str, ...] = ()
    """Host names, which may begin with ``*.``; empty for the names in the certificate."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse ``CERTIFICATE,KEY`` or ``CERTIFICATE,KEY:NAME,NAME``. Raises ValueError for text in another format."""
        files, colon, listed = text.partition(":")
        paths = [path.strip() for path in files.split(",")]
        names = tuple(name.strip() for name in listed.split(",")) if colon else ()
        if len(paths) != 2 or not all(paths) or not all(names):
            raise ValueError(f"expected CERTIFICATE,KEY or CERTIFICATE,KEY:NAME,NAME, not {text}")
        if any(parse_ip(name) is not None for name in names):
            raise ValueError(f"a NAME must be a host name, not an IP address: {text}")
        return cls(Path(paths[0]), Path(paths[1]), names)

    def read(self) -> "KeyPair":
        """Read the certificate and the key. Raises ValueError with a one-line message if a file cannot be read."""
        from memkube.http.tls import KeyPair  # noqa: PLC0415  pyOpenSSL is imported if TLS is chosen

        try:
            return KeyPair(self.certificate.read_bytes(), self.key.read_bytes())
        except OSError as error:
            raise ValueError(f"cannot read the certificate of the server: {error}") from None


class TlsOptions(NamedTuple):
    """Files of the server's TLS certificates. Without files, the server generates a certificate at each start."""

    certificate_file: Path | None = None
    """PEM file with the server's certificate, followed by the certificates of its issuers."""
    key_file: Path | None = None
    """PEM file with the private key of the certificate."""
    named: tuple[CertificateFiles, ...] = ()
    """Certificates for single host names, which the client asks for in the handshake (SNI)."""

    @property
    def default(self) -> CertificateFiles | None:
        """The files of the certificate for host names that have none in `named`; None to generate a certificate.

        Raises ValueError if only one of the two files is given.
        """
        if self.certificate_file is None and self.key_file is None:
            return None
        if self.certificate_file is None or self.key_file is None:
            raise ValueError("the certificate and the private key of the server must be given together")
        return CertificateFiles(self.certificate_file, self.key_file)


class ServingCertificates:
    """The certificates of a server. Files that have changed are read again when a client connects."""

    def __init__(self, options: TlsOptions, hosts: Sequence[str], authority_files: Sequence[Path] = ()) -> None:
        """Read the certificate files, or generate a certificate for `hosts` if there are none.

        If there are `authority_files`, clients are asked for certificates of the authorities in them. Raises
        ValueError with a one-line message for a file that cannot be used.
        """
        self._default, self._named, self._authorities = options.default, options.named, authority_files
        self._made: KeyPair | None = None
        if self._default is None:
            self._made, self.authority = created_pair(hosts)
            """The certificate in PEM that clients must trust."""
        else:
            self.authority = self._default.read().certificate
        self._given = (*self._named, *((self._default,) if self._default else ()))
        self._files = ChangingFiles(
            [*(file for one in self._given for file in (one.certificate, one.key)), *authority_files]
        )
        self._settings = self._read()

    @property
    def names(self) -> list[str]:
        """Host names in the certificates, and host names given for them as options.

        Reads the files of the certificates. Raises ValueError with a one-line message if one cannot be read.
        """
        pairs = [*([self._made] if self._made else []), *(files.read() for files in self._given)]
        return [*(name for pair in pairs for name in _names_in(pair)), *(n for one in self._named for n in one.names)]

    def current(self) -> "Context":
        """Return the TLS settings for new connections.

        Certificate files that have changed are read again. If one is not usable, the previous settings are kept.
        """
        if self._files.have_changed():
            try:
                self._settings = self._read()
            except ValueError as error:
                _LOGGER.warning("%s", error)
        return self._settings

    def _read(self) -> "Context":
        # pyOpenSSL is imported only if the server uses TLS, because importing takes time.
        from memkube.auth.authentication.certificate_authorities import read_authorities  # noqa: PLC0415
        from memkube.http.tls import server_settings  # noqa: PLC0415

        default = self._made or (self._default or self._named[0]).read()
        named: dict[str, KeyPair] = {}
        explicit: dict[str, KeyPair] = {}
        # As in kube-apiserver, the first certificate for a host name is used. Names given as options take precedence
        # over names in certificates.
        for files in reversed(self._named):
            pair = files.read()
            explicit.update(dict.fromkeys(files.names, pair))
            if not files.names:
                named.update(dict.fromkeys(_names_in(pair), pair))
        authorities = [one for file in self._authorities for one in read_authorities(file)]
        return server_settings(default, named | explicit, authorities if self._authorities else None)


def _names_in(pair: "KeyPair") -> list[str]:
    """Return the host names in the certificate of `pair`, from its common name and subject alternative names.

    Raises ValueError with a one-line message for a malformed certificate.
    """
    from cryptography import x509  # noqa: PLC0415  imported if TLS is chosen

    try:
        certificate = x509.load_pem_x509_certificate(pair.certificate)
        common = certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
        names = [str(one.value) for one in common if parse_ip(str(one.value)) is None]
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return names
    except ValueError as error:
        raise ValueError(f"cannot use the certificate of the server: {error}") from None
    return names + extension.value.get_values_for_type(x509.DNSName)


def created_pair(hosts: Sequence[str]) -> tuple["KeyPair", bytes]:
    """Generate a certificate authority, and a certificate signed by it for `hosts`: host names and IP addresses.

    Return the certificate with its key, and the certificate of the authority in PEM.
    """
    # The module that signs CertificateSigningRequests also generates this certificate. It is imported only if the
    # server uses TLS.
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415
    from cryptography.x509.oid import NameOID  # noqa: PLC0415

    from memkube.controllers.certificates.authority import CertificateAuthority  # noqa: PLC0415
    from memkube.http.tls import KeyPair  # noqa: PLC0415

    now = datetime.now(UTC)
    authority = CertificateAuthority.created(now)
    names: list[x509.GeneralName] = [x509.DNSName(name) for name in _NAMES]
    addresses = {ip_address(address) for address in _ADDRESSES}
    for host in hosts:
        try:
            addresses.add(ip_address(host))
        except ValueError:
            names.append(x509.DNSName(host))
    names += [x509.IPAddress(address) for address in sorted(addresses, key=str)]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "memkube")])
    builder = x509.CertificateSigningRequestBuilder(subject)
    builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return KeyPair(*authority.issued(builder, "server auth", _LIFETIME, now)), authority.certificate.public_bytes(
        Encoding.PEM
    )
