"""Where a hook listens, and how its service is found (apiserver ``pkg/util/webhook``: ClientConfig)."""

from dataclasses import dataclass
from posixpath import normpath
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, unquote

from memkube.apimachinery.pem import certificate_fault, pem_blocks

_DEFAULT_PORT: Final = 443


class HookFailed(Exception):
    """A hook could not be reached or understood; the message is what the reference's client says."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ConfigurationRefused(HookFailed):
    """A configuration that nobody can be called by: ``could not get REST client`` to the reference."""


@dataclass(frozen=True, slots=True)
class ServiceReference:
    """A port of a Service, and the path behind it."""

    namespace: str
    name: str
    path: str = ""
    port: int = _DEFAULT_PORT

    @property
    def host(self) -> str:
        """What the service's certificate has to be for."""
        return f"{self.name}.{self.namespace}.svc"


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """A hook at a URL or behind a service, and whom to trust; connections are shared by equal ones."""

    url: str = ""
    service: ServiceReference | None = None
    ca_bundle: bytes = b""
    """Certificates in PEM; the system's where there are none."""
    insecure: bool = False
    """Whether the certificate may be anybody's."""

    @property
    def base(self) -> "Base":
        """The address that paths are appended to. Raises ConfigurationRefused for a URL that is none."""
        if self.service is not None:
            return Base("https", self.service.host, self.service.port, _cleaned(self.service.path), explicit_port=True)
        if not self.url:
            raise ConfigurationRefused("webhook configuration must have either service or URL")
        from memkube.apimachinery.go_url import parse_url  # noqa: PLC0415  for servers with hooks

        try:
            parsed = parse_url(self.url)
        except ValueError as error:
            raise ConfigurationRefused(f"Unparsable URL: {error}") from None
        return base_of(parsed.scheme, parsed.host, _cleaned(parsed.path))

    def trusted(self) -> list[bytes]:
        """The certificates of the bundle in DER. Raises ConfigurationRefused where a bundle has none."""
        blocks = list(pem_blocks(self.ca_bundle))
        ders = [block.content for block in blocks if block.type == "CERTIFICATE" and not block.has_headers]
        faults = [certificate_fault(der) for der in ders]
        good = [der for der, fault in zip(ders, faults, strict=True) if fault is None]
        if good:
            return good
        why = f"failed to parse certificate: {faults[0]}" if faults else "no valid certificate authority data seen"
        if not blocks:
            why = "unable to parse bytes as PEM block"
        raise ConfigurationRefused(f"unable to load root certificates: {why}")


class Base(NamedTuple):
    """An origin and a path on it, as they are written in messages and in the Host header."""

    scheme: str
    host: str
    port: int
    path: str
    explicit_port: bool

    @property
    def authority(self) -> str:
        """``host:port``; the port only where it was given."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.explicit_port else host

    def url(self, query: str = "") -> str:
        """The whole address."""
        return f"{self.scheme}://{self.authority}{self.path}{'?' if query else ''}{query}"


def base_of(scheme: str, authority: str, path: str) -> Base:
    """The parts of an address whose authority has no user."""
    host, port = authority, ""
    if authority.startswith("["):
        host, _, port = authority[1:].partition("]")
        port = port.removeprefix(":")
    elif ":" in authority:
        host, _, port = authority.rpartition(":")
    default = 80 if scheme == "http" else _DEFAULT_PORT
    return Base(scheme, host, int(port) if port else default, path, explicit_port=bool(port))


class ServiceResolver(Protocol):
    """Finds who listens behind services."""

    async def resolve(self, namespace: str, name: str, port: int) -> tuple[str, int]:
        """The host and port to connect to. Raises HookFailed where there is no such service or port, or nobody."""


def _cleaned(path: str) -> str:
    """A path as client-go joins and Go writes it: without empty steps, steps back and a slash at the end."""
    return quote("/" + normpath(f"/{unquote(path)}").lstrip("/"), safe="/-_.~$&+,:;=@")
