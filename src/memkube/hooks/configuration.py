"""Client configuration of a webhook: URL or Service, and trusted certificates (apiserver ``pkg/util/webhook``)."""

from posixpath import normpath
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, unquote

from memkube.apimachinery.pem import certificate_error, pem_blocks

_DEFAULT_PORT: Final = 443


class HookFailed(Exception):
    """Raised if a call to a webhook or extension API server fails. The message is that of Kubernetes' client."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ConfigurationRefused(HookFailed):
    """Raised if a client configuration is invalid; Kubernetes then reports ``could not get REST client``."""


class ServiceReference(NamedTuple):
    """A port of a Service, and the URL path for requests to it."""

    namespace: str
    name: str
    path: str = ""
    port: int = _DEFAULT_PORT

    @property
    def host(self) -> str:
        """Host name for which the server's certificate must be valid."""
        return f"{self.name}.{self.namespace}.svc"


class ClientConfig(NamedTuple):
    """URL or Service of a webhook or extension API server, and the certificates for TLS connections to it.

    Equal configurations share connections.
    """

    url: str = ""
    service: ServiceReference | None = None
    ca_bundle: bytes = b""
    """Trusted CA certificates in PEM; if empty, the system's certificates are trusted."""
    insecure: bool = False
    """True to accept any server certificate."""
    certificate: bytes = b""
    """Certificate of the client in PEM; empty for none."""
    key: bytes = b""
    """Private key of the client's certificate in PEM."""

    @property
    def base(self) -> "Base":
        """Base URL of the server. Raises ConfigurationRefused if the configured URL is invalid."""
        if self.service is not None:
            return Base("https", self.service.host, self.service.port, _cleaned(self.service.path), explicit_port=True)
        if not self.url:
            raise ConfigurationRefused("webhook configuration must have either service or URL")
        from memkube.apimachinery.go_url import parse_url  # noqa: PLC0415  its patterns take 10 ms to compile

        try:
            parsed = parse_url(self.url)
        except ValueError as error:
            raise ConfigurationRefused(f"Unparsable URL: {error}") from None
        return base_of(parsed.scheme, parsed.host, _cleaned(parsed.path))

    def trusted(self) -> list[bytes]:
        """Return the certificates of the CA bundle in DER. Raises ConfigurationRefused if it has none."""
        blocks = list(pem_blocks(self.ca_bundle))
        ders = [block.content for block in blocks if block.type == "CERTIFICATE" and not block.has_headers]
        faults = [certificate_error(der) for der in ders]
        good = [der for der, fault in zip(ders, faults, strict=True) if fault is None]
        if good:
            return good
        why = f"failed to parse certificate: {faults[0]}" if faults else "no valid certificate authority data seen"
        if not blocks:
            why = "unable to parse bytes as PEM block"
        raise ConfigurationRefused(f"unable to load root certificates: {why}")


class Base(NamedTuple):
    """Scheme, host, port and path of a URL; `explicit_port` is True if the URL contains the port."""

    scheme: str
    host: str
    port: int
    path: str
    explicit_port: bool

    @property
    def authority(self) -> str:
        """Authority of the URL: ``host:port``, or only ``host`` if the URL has no port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.explicit_port else host

    def url(self, query: str = "") -> str:
        """Return the URL as text, with the query string `query` unless it is empty."""
        return f"{self.scheme}://{self.authority}{self.path}{'?' if query else ''}{query}"


def base_of(scheme: str, authority: str, path: str) -> Base:
    """Return the parts of a URL, with its authority split into host and port.

    The default port depends on the scheme. The authority must not contain user information.
    """
    host, port = authority, ""
    if authority.startswith("["):
        host, _, port = authority[1:].partition("]")
        port = port.removeprefix(":")
    elif ":" in authority:
        host, _, port = authority.rpartition(":")
    default = 80 if scheme == "http" else _DEFAULT_PORT
    return Base(scheme, host, int(port) if port else default, path, explicit_port=bool(port))


class ServiceResolver(Protocol):
    """Resolves a port of a Service to a network address."""

    async def resolve(self, namespace: str, name: str, port: int) -> tuple[str, int]:
        """Return the host and port of an endpoint of the Service.

        Raises HookFailed if the Service, its port or its endpoints are missing.
        """


def _cleaned(path: str) -> str:
    """Normalise a webhook URL's path as client-go does: no empty or ``..`` segments and no trailing slash."""
    return quote("/" + normpath(f"/{unquote(path)}").lstrip("/"), safe="/-_.~$&+,:;=@")
