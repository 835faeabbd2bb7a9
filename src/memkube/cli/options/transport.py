"""Options of TLS, and of the hosts and origins from which requests are accepted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from memkube.cli.options.groups import listed
from memkube.endpoints.filters.origins import OriginOptions
from memkube.errors import ServerError
from memkube.server.serving_certificate import CertificateFiles, TlsOptions


@dataclass(frozen=True, slots=True)
class TransportOptions:
    """Options of TLS, and of the hosts and origins from which requests are accepted."""

    tls: Annotated[bool, Option("--tls", help="Serve over TLS, with a certificate that is made at the start.")] = False
    tls_cert_file: Annotated[
        Path | None, Option(metavar="FILE", help="PEM file with the certificate of the server. Serves over TLS.")
    ] = None
    tls_private_key_file: Annotated[
        Path | None, Option(metavar="FILE", help="PEM file with the private key of the certificate.")
    ] = None
    tls_sni_cert_key: Annotated[
        list[str] | None,
        Option(
            metavar="CERTIFICATE,KEY[:NAME,…]",
            help="PEM files of a certificate and its private key. The certificate is used if a client connects to one "
            "of the host names NAME, by default those in the certificate. May be repeated. Serves over TLS.",
        ),
    ] = None
    insecure: Annotated[
        bool,
        Option(
            "--insecure",
            help="Let every machine that reaches the address use the server, even without TLS or credentials.",
        ),
    ] = False
    allowed_host: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            help="Further host name under which clients reach the server, such as api.example.com or "
            "*.example.com; may be "
            "repeated. Requests with other host names are refused, except addresses and names without a dot.",
        ),
    ] = None
    cors_allowed_origins: Annotated[
        list[str] | None,
        Option(
            metavar="PATTERN",
            help="Patterns of the origins of web pages that may use the server, such as '//example\\.com(:|$)'. "
            "Requests "
            "of other origins are refused.",
        ),
    ] = None

    def certificates(self) -> TlsOptions | None:
        """Return the TLS settings; None to serve plain HTTP. Raises ServerError if an option is malformed."""
        if not (self.tls or self.tls_cert_file or self.tls_private_key_file or self.tls_sni_cert_key):
            return None
        named = self.tls_sni_cert_key or ()
        try:
            files = tuple(CertificateFiles.of(text) for text in named)
            return TlsOptions(self.tls_cert_file, self.tls_private_key_file, files)
        except ValueError as error:
            raise ServerError(str(error)) from None

    def origins(self) -> OriginOptions:
        """Return the host names under which clients reach the server, and the origins of web pages that may use it."""
        return OriginOptions(listed(self.allowed_host), listed(self.cors_allowed_origins))
