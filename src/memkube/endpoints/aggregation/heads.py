"""Headers that the proxy changes in requests to an upstream server, and in responses to the client.

An upstream server is an extension API server, or the leader of the servers that share a storage. Sources: Go's
``net/http/httputil.ReverseProxy``, client-go's ``transport.SetAuthProxyHeaders``, apimachinery's ``pkg/util/proxy`` and
apiserver's authentication and impersonation filters.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias
from urllib.parse import quote, quote_plus

from starlette.types import Scope

from memkube.endpoints.filters.impersonation import IMPERSONATE
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.registry.declarations.request_options import User

Headers: TypeAlias = list[tuple[bytes, bytes]]
_OF_THE_CONNECTION: Final = frozenset(
    {
        b"connection",
        b"proxy-connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_ANSWERED_HERE: Final = frozenset(
    {
        b"access-control-allow-credentials",
        b"access-control-allow-headers",
        b"access-control-allow-methods",
        b"access-control-allow-origin",
    }
)
_TOLD_ANEW: Final = frozenset({b"host", b"authorization", b"audit-id", b"x-forwarded-for"})
_REMOTE: Final = (b"x-remote-user", b"x-remote-uid", b"x-remote-group", b"x-remote-extra-")
_UNESCAPED: Final = "!#$&'*+-.^_`|~"


def target(request: ApiRequest) -> bytes:
    """Return path and query of the proxied request, escaped and sorted as by Go's package ``net/url``."""
    path = quote(request.path, safe="/$&+,:;=@-_.~")
    pairs = [f"{_escaped(key)}={_escaped(value)}" for key in sorted(request.query) for value in request.query[key]]
    return f"{path}?{'&'.join(pairs)}".encode() if pairs else path.encode()


def _escaped(text: str) -> str:
    return quote_plus(text, safe="")


def request_head(request: ApiRequest, authority: str, audit_id: bytes, *, upgrades: bool) -> Headers:
    """Return the headers of the request to the upstream server, including those that name the client's user.

    `authority` is the value of the Host header, and `upgrades` is True if the request upgrades the connection.
    """
    scope = request.scope
    headers: Headers = [(b"host", authority.encode())]
    headers += [
        (name, value)
        for name, value in of_the_message(scope["headers"], upgrades=upgrades)
        if name not in _TOLD_ANEW and not name.startswith((IMPERSONATE, *_REMOTE))
    ]
    if any(name == b"te" and b"trailers" in value for name, value in scope["headers"]):
        headers.append((b"te", b"trailers"))
    if any(name == b"transfer-encoding" for name, _ in scope["headers"]):
        headers.append((b"transfer-encoding", b"chunked"))
    headers.append((b"audit-id", audit_id))
    forwarded = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    client = scope.get("client")
    headers.append((b"x-forwarded-for", b", ".join([*forwarded, client[0].encode()] if client else forwarded)))
    if not upgrades:
        path = target(request).partition(b"?")[0]
        headers += [
            (b"x-forwarded-host", authority.encode()),
            (b"x-forwarded-proto", b"https"),
            (b"x-forwarded-uri", path),
        ]
    return [*headers, *_identity(request.user)]


def _identity(user: User) -> Iterator[tuple[bytes, bytes]]:
    yield b"x-remote-user", user.name.encode()
    if user.uid:
        yield b"x-remote-uid", user.uid.encode()
    for group in user.groups:
        yield b"x-remote-group", group.encode()
    for key, values in user.extra.items():
        name = "".join(
            chr(byte) if chr(byte).isalnum() or chr(byte) in _UNESCAPED else f"%{byte:02X}" for byte in key.encode()
        )
        for value in values:
            yield f"x-remote-extra-{name}".encode(), value.encode()


def answer_head(headers: Headers) -> Headers:
    """Return the upstream server's response headers without ``date`` and ``server``, which this server sets itself."""
    lowered = [(name.lower(), value) for name, value in headers]
    return [
        (name, value)
        for name, value in of_the_message(lowered, upgrades=False)
        if name not in _ANSWERED_HERE and name not in (b"date", b"server")
    ]


def of_the_message(headers: Iterable[tuple[bytes, bytes]], *, upgrades: bool) -> Headers:
    """Return the headers that a proxy forwards: no hop-by-hop headers, unless the request `upgrades` the connection."""
    headers = list(headers)
    if upgrades:
        return headers
    named = {
        part.strip().lower() for name, value in headers if name == b"connection" for part in value.split(b",") if part
    }
    return [(name, value) for name, value in headers if name not in _OF_THE_CONNECTION and name not in named]


def asks_for_upgrade(scope: Scope) -> bool:
    """Return True if the client asks to upgrade the connection."""
    return any(name == b"connection" and b"upgrade" in value.lower() for name, value in scope["headers"])
