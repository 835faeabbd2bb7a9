"""Rejects requests that a browser sends for a page of another site.

Such a page can reach a server on the user's own machine in two ways: by a host name of the site that resolves to the
machine (DNS rebinding), or directly, with the header Origin. A server without authentication must reject both. The
response headers for allowed origins are the same as in apiserver's ``server/filters/cors.go``.
"""

from dataclasses import dataclass, replace
from typing import Final, Self

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.go_regexp import compile_pattern
from memkube.apimachinery.go_strings import go_string
from memkube.apimachinery.ip_addresses import parse_ip
from memkube.apimachinery.shown_values import quoted

_ALWAYS_ALLOWED: Final = (
    "*.localhost",
    "host.containers.internal",
    "host.docker.internal",
    "kubernetes.default",
    "*.svc",
    "*.svc.cluster.local",
)
"""Host names of the server that are allowed without an option: no public DNS server resolves them."""
_MOST_KNOWN: Final = 1000
_HEADERS: Final = (
    (b"access-control-allow-methods", b"POST, GET, OPTIONS, PUT, DELETE, PATCH"),
    (
        b"access-control-allow-headers",
        b"Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",  # noqa: E501  one value
    ),
    (b"access-control-expose-headers", b"Date"),
    (b"access-control-allow-credentials", b"true"),
)
HOST: Final = b"host"
ORIGIN: Final = b"origin"
_ALLOW_ORIGIN: Final = b"access-control-allow-origin"

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class OriginOptions:
    """Options that allow more host names of this server, and web sites whose pages may use it."""

    allowed_hosts: tuple[str, ...] = ()
    """Host names under which clients reach the server, besides the usual ones, such as ``*.example.com``.

    ``*`` allows every host name.
    """
    cors_allowed_origins: tuple[str, ...] = ()
    """Regular expressions for the origins of allowed web pages, such as ``^https://example\\.com$``.

    Each must match whole host names (``--cors-allowed-origins``).
    """

    def __post_init__(self) -> None:
        """Validate the regular expressions for origins.

        Raises ValueError, with a message of one line, if one is malformed or could match only a part of a host name.
        """
        for pattern in self.cors_allowed_origins:
            try:
                compile_pattern(pattern)
            except ValueError as error:
                raise ValueError(f"--cors-allowed-origins has an invalid regular expression: {error}") from None
            starts = "^" in pattern or "//" in pattern
            ends = "$" in pattern or ":" in pattern.replace("://", "")
            if not (starts and ends):
                raise ValueError(
                    f"--cors-allowed-origins: {pattern!r} must begin with ^ or contain //, and end with $ or a colon, "
                    r"so that it matches whole host names, as //example\.com(:|$) does"
                )

    def also(self, *hosts: str) -> Self:
        """Return a copy of the options that also allows the host names `hosts`."""
        return replace(self, allowed_hosts=(*self.allowed_hosts, *hosts))


class Origins:
    """Decides from the headers Host and Origin whether a request may be served.

    A host is allowed if it is an address, a name without a dot (which no public DNS server knows), a name of the local
    machine, a name of a Service, or an allowed host of the options.
    """

    def __init__(self, options: OriginOptions) -> None:
        hosts = {host.lower().rstrip(".") for host in (*_ALWAYS_ALLOWED, *options.allowed_hosts)}
        self._hosts = frozenset(host for host in hosts if not host.startswith("*"))
        self._suffixes = tuple(host[1:] for host in hosts if host.startswith("*."))
        self._allows_all = "*" in hosts
        self._patterns = [compile_pattern(pattern) for pattern in options.cors_allowed_origins]
        self.known: set[bytes] = set()
        """Allowed values of the header Host. A request with one of them, and without Origin, needs no other check."""

    def check(self, headers: Headers) -> Headers:
        """Check the headers of a request, and return the headers to add to its response.

        Headers are added for pages of an allowed origin. Raises ApiError 403 for a host or an origin that is not
        allowed.
        """
        hosts = [value for name, value in headers if name == HOST]
        for host in hosts:
            self._check_host(host)
        added: Headers = []
        for origin in (value for name, value in headers if name == ORIGIN):
            if any(pattern.search(go_string(origin)) for pattern in self._patterns):
                added = [(_ALLOW_ORIGIN, origin), *_HEADERS]
            elif origin.lower().partition(b"://")[2] not in (host.lower() for host in hosts):
                shown = quoted(go_string(origin))
                raise _refused(
                    f"pages of the origin {shown} may not use this server: allow them with --cors-allowed-origins"
                )
        return added

    def _check_host(self, host: bytes) -> None:
        if not self._allows_all and not self._allows(_name_in(go_string(host).lower())):
            shown = quoted(go_string(host))
            raise _refused(f"the host {shown} is not a known host name of this server: allow it with --allowed-host")
        if len(self.known) < _MOST_KNOWN:
            self.known.add(host)

    def _allows(self, name: str) -> bool:
        if "." not in name and ":" not in name:
            return True
        return name in self._hosts or name.endswith(self._suffixes) or parse_ip(name) is not None


def _name_in(host: str) -> str:
    """Return the host name or IP address in a Host header, without port, brackets and final dot."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0].rstrip(".") if ":" in host else host.rstrip(".")


def _refused(message: str) -> ApiError:
    return ApiError(403, "Forbidden", message)
