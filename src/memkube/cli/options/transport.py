"""Options of TLS, and of the hosts and origins from which requests are accepted."""

from dataclasses import dataclass
from pathlib import Path

from memkube.cli.commands import PATH
from memkube.cli.options.groups import listed, option
from memkube.endpoints.filters.origins import OriginOptions
from memkube.errors import ServerError
from memkube.server.serving_certificate import CertificateFiles, TlsOptions


@dataclass(frozen=True, slots=True)
class TransportOptions:
    """Options of TLS, and of the hosts and origins from which requests are accepted."""

    tls: bool = option("Serve over TLS, with a certificate that is made at the start.", is_flag=True)
    tls_cert_file: Path | None = option(
        "PEM file with the certificate of the server. Serves over TLS.", metavar="FILE", type=PATH
    )
    tls_private_key_file: Path | None = option(
        "PEM file with the private key of the certificate.", metavar="FILE", type=PATH
    )
    tls_sni_cert_key: tuple[str, ...] = option(
        "PEM files of a certificate and its private key. The certificate is used if a client connects to one "
        "of the host names NAME, by default those in the certificate. May be repeated. Serves over TLS.",
        metavar="CERTIFICATE,KEY[:NAME,…]",
        multiple=True,
    )
    insecure: bool = option(
        "Let every machine that reaches the address use the server, even without TLS or credentials.", is_flag=True
    )
    allowed_host: tuple[str, ...] = option(
        "Further host name under which clients reach the server, such as api.example.com or *.example.com; may be "
        "repeated. Requests with other host names are refused, except addresses and names without a dot.",
        metavar="NAME",
        multiple=True,
    )
    cors_allowed_origins: tuple[str, ...] = option(
        "Patterns of the origins of web pages that may use the server, such as '//example\\.com(:|$)'. "
        "Requests of other origins are refused.",
        metavar="PATTERN",
        multiple=True,
    )

    def certificates(self) -> TlsOptions | None:
        """Return the TLS settings; None to serve plain HTTP. Raises ServerError if an option is malformed."""
        if not (self.tls or self.tls_cert_file or self.tls_private_key_file or self.tls_sni_cert_key):
            return None
        try:
            files = tuple(CertificateFiles.of(text) for text in self.tls_sni_cert_key)
            return TlsOptions(self.tls_cert_file, self.tls_private_key_file, files)
        except ValueError as error:
            raise ServerError(str(error)) from None

    def origins(self) -> OriginOptions:
        """Return the host names under which clients reach the server, and the origins of web pages that may use it."""
        return OriginOptions(listed(self.allowed_host), listed(self.cors_allowed_origins))
