"""An HTTP request with its parsed path, client and parameters, for filters and endpoints.

Paths are parsed as in apiserver ``endpoints/request`` (RequestInfo).
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.errors import ApiError, GroupResource, bad_request
from memkube.apimachinery.go_strings import go_string
from memkube.apimachinery.query import flag
from memkube.faults.attributes import RequestAttributes
from memkube.registry.declarations.request_options import ANONYMOUS, NOBODY, User
from memkube.telemetry.measures import RequestSeries
from memkube.telemetry.request_log import RequestLog, RequestRecord, Target
from memkube.time.request_context import RequestContext

if TYPE_CHECKING:
    from memkube.endpoints.auditing.trail import AuditTrail

_BAD_PATH_ESCAPE = re.compile(rb"%(?![0-9a-fA-F]{2})")
OF_PAGE: Final = "memkube.page"
"""Key of the ASGI scope that marks a read which the web page sends to the API."""
_MOST_REMEMBERED = 256
"""Maximum length of a path whose parsed parts are cached, in characters."""
HEALTH: Final = ("healthz", "livez", "readyz")
"""Names of the health checks, which are the first segments of their paths."""
_HEALTH_PATHS: Final = tuple(f"/{name}" for name in HEALTH)
DOCS_FILES: Final = "/docs/files"
"""Path below which the files of Swagger UI are served."""
_NAMESPACE_SUBRESOURCES = frozenset({"status", "finalize"})
_IMPERSONATED: Final = b"impersonate-user"
_USER_AGENT: Final = b"user-agent"
BODY_LIMIT = 3 * 1024 * 1024
_BAD_PARAMETER = re.compile(rb"%(?![0-9a-fA-F]{2})|;")
"""Pattern of query parameters that are ignored: those with an invalid escape or a semicolon."""
_READS: Final = frozenset({"GET", "HEAD"})
"""HTTP methods of reads. HEAD works only for custom kinds and for some paths without a resource."""
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_PEOPLE = (b"curl", b"Wget", b"Mozilla/5.0")
"""Beginnings of the User-Agent headers of browsers, curl and Wget. These clients get indented JSON."""

LASTING: Final = frozenset({"attach", "exec", "log", "portforward", "proxy"})
"""Subresources whose requests end when the client or the container ends them. They have no deadline."""


@dataclass(frozen=True, slots=True)
class Address(Target):
    """The parts of a URL path below ``/api`` or ``/apis``. A part that the path does not contain is ""."""

    rest: str = ""
    """The path after the subresource, as in requests for the subresource ``proxy``."""
    watch: bool = False
    """True for a deprecated ``/watch/`` path."""

    @property
    def is_below_version(self) -> bool:
        """True if the path continues after the group and version."""
        return bool(self.resource or self.name or self.watch)

    @property
    def group_resource(self) -> GroupResource:
        """Group and plural in the path. The objects may be stored under another group, as Events are."""
        return GroupResource(self.group, self.resource)


def parse_address(path: str) -> Address | None:
    """Return the parts of a path; None if it does not contain a group and version.

    A slash at the end is ignored. Empty segments are not skipped.
    """
    return _known(path) if len(path) <= _MOST_REMEMBERED else _parsed(path)


def _parsed(path: str) -> Address | None:
    parts = path.removesuffix("/").split("/")[1:]
    if len(parts) >= 2 and parts[0] == "api":
        group, version, rest = "", parts[1], parts[2:]
    elif len(parts) >= 3 and parts[0] == "apis" and parts[1]:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    watch = rest[:1] == ["watch"]
    return _within(group, version, rest[1:] if watch else rest, watch)


_known = lru_cache(maxsize=1024)(_parsed)
"""Function that returns the parts of a path from a cache, because clients use the same paths repeatedly."""


def _within(group: str, version: str, rest: list[str], watch: bool) -> Address:
    namespace = ""
    if rest[:1] == ["namespaces"] and len(rest) > 2 and rest[2] not in _NAMESPACE_SUBRESOURCES:
        namespace, rest = rest[1], rest[2:]
    count = len(rest)
    return Address(
        group,
        version,
        namespace,
        rest[0] if count else "",
        rest[1] if count > 1 else "",
        rest[2] if count > 2 else "",
        "/".join(rest[3:]),
        watch,
    )


def is_health_check(path: str) -> bool:
    """Return True for the paths of health checks, which are never limited."""
    return path.startswith(_HEALTH_PATHS)


def has_bad_escape(scope: Scope) -> bool:
    """Return True if a percent sign in the path of a request is not followed by two hex digits."""
    path = scope.get("raw_path") or b""
    return b"%" in path and _BAD_PATH_ESCAPE.search(path) is not None


def request_uri(scope: Scope) -> str:
    """Return the path and query of a request as the client sent them."""
    return b"?".join(part for part in (scope.get("raw_path") or b"", scope["query_string"]) if part).decode("latin-1")


def ends_with_verb(path: str) -> bool:
    """Return True if a path ends with the verb ``watch`` or ``proxy`` after the version, as in ``/api/v1/watch``.

    kube-apiserver finds no RequestInfo for such a path.
    """
    if not path.rstrip("/").endswith(("/watch", "/proxy")):
        return False
    root, *parts = path.strip("/").split("/")
    return len(parts) == {"api": 2, "apis": 3}.get(root)


def flow_of(scope: Scope) -> object:
    """Return a hashable key that is the same for all requests of one client.

    The key is the user's name; for anonymous clients, it is the IP address and the user agent. If the user has not been
    identified yet (``scope["user"]`` is not set), the name in the Impersonate-User header is used instead.
    """
    headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
    user = scope["user"].name if "user" in scope else headers.get(_IMPERSONATED, b"").decode("latin-1")
    if user and user != ANONYMOUS:
        return user
    client = scope.get("client")
    return client and client[0], headers.get(_USER_AGENT, b"")


class ApiRequest(HTTPConnection):
    """An HTTP request or a WebSocket handshake. Each part of it is parsed when it is first read."""

    context: RequestContext | None = None
    """Records how long each step of a request for a resource takes; None for a plain GET of one object."""
    log: RequestLog
    """The request log that records this request."""
    arrived: float
    """Time at which the request arrived, as a value of ``time.monotonic``."""
    answered: str | int = 0
    """Revision of the object or list in the response, for the request log."""
    noted: RequestRecord | None = None
    """The request's record in the request log; None until code uses the record."""
    series: RequestSeries | None = None
    """The series of the request metrics that counts this request; None until the resource of the request is known."""
    posted_name: str = ""
    """Name of the object in the body of a POST. It is parsed only if a fault rule matches by name."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.method: str = scope.get("method", "GET")
        self.path: str = scope["path"]
        # If a header occurs several times, its first value is used.
        self._first_headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
        self._query: dict[str, list[str]] | None = None

    @property
    def record(self) -> RequestRecord:
        """The request's record in the request log, which is created when it is first used."""
        record = self.noted
        if record is None:
            query: bytes = self.scope["query_string"]
            record = self.log.record(self.method, self.path, query, self.user_agent, self.user, self.arrived)
            self.noted = record
        return record

    def header(self, name: bytes) -> str:
        """Return the first header of this lower-case name, or "" if the request has none."""
        value = self._first_headers.get(name)
        return value.decode("latin-1") if value else ""

    @property
    def user_agent(self) -> bytes:
        """The value of the User-Agent header."""
        return self._first_headers.get(b"user-agent", b"")

    @property
    def user(self) -> User:
        """The user of the request: the impersonated user, if the client impersonates one.

        It is ``system:anonymous`` if authentication is off.
        """
        user: User = self.scope.get("user", NOBODY)
        return user

    @cached_property
    def flow(self) -> object:
        """Key that is the same for all requests of the client: see :func:`flow_of`."""
        return flow_of(self.scope)

    @property
    def accept(self) -> str:
        """The value of the Accept header."""
        return self.header(b"accept")

    @property
    def query(self) -> dict[str, list[str]]:
        """The query parameters, each with all its values."""
        if self._query is None:
            self._query = parsed_query(self.scope["query_string"])
        return self._query

    def parameter(self, name: str) -> str:
        """Return the first value of a query parameter, or "" if the query has none."""
        values = self.query.get(name)
        return values[0] if values else ""

    @property
    def pretty(self) -> bool:
        """True if JSON in the response is indented (isPrettyPrint).

        The parameter ``pretty`` decides; without it, browsers, curl and Wget get indented JSON.
        """
        if b"pretty" in self.scope["query_string"] and (asked := self.parameter("pretty")):
            return asked in _TRUE
        return self._first_headers.get(b"user-agent", b"").startswith(_PEOPLE)

    async def body(self) -> bytes:
        """Read the whole body.

        Raises ApiError 413 if the body is larger than 3 MiB, and 400 if the client disconnects.
        """
        chunks: list[bytes] = []
        size = 0
        more = True
        while more:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise bad_request("unexpected EOF")
            chunk, more = message.get("body", b""), message.get("more_body", False)
            size += len(chunk)
            if size > BODY_LIMIT:
                raise ApiError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {BODY_LIMIT}")
            chunks.append(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def asked(self) -> RequestAttributes:
        """Return the attributes of the request that fault rules match, such as verb, resource and client."""
        record = self.record
        target = record.target
        return RequestAttributes(
            verb=record.verb,
            path=record.path,
            group=target.group,
            resource="/".join(filter(None, (target.resource, target.subresource))),
            namespace=target.namespace,
            name=record.name or self.posted_name,
            user=record.user.name,
            user_agent=record.user_agent,
            is_spared=OF_PAGE in self.scope,
        )

    def was_hit(self, fault: str) -> None:
        """Record in the request log that the injected fault of this name applied to the request."""
        self.record.hit_by(fault)


def parsed_query(raw: bytes) -> dict[str, list[str]]:
    """Parse a query string. Return the values of each parameter, without parameters that contain an invalid escape."""
    found: dict[str, list[str]] = {}
    if not raw:
        return found
    for pair in raw.replace(b"+", b" ").split(b"&"):
        if pair and not _BAD_PARAMETER.search(pair):
            key, _, value = pair.partition(b"=")
            found.setdefault(_unescaped(key), []).append(_unescaped(value))
    return found


def _unescaped(part: bytes) -> str:
    return go_string(unquote_to_bytes(part))


def asks_to_watch(request: ApiRequest, address: Address) -> bool:
    """Return True if a request is a watch, by its path or by its query."""
    if address.watch:
        return True
    asked = request.method in _READS and not address.name and b"watch" in request.scope["query_string"]
    return asked and bool(flag(request.query, "watch"))


def wants_watch(query: bytes) -> bool:
    """Return True if the query of a request for a collection makes it a watch."""
    return b"watch" in query and bool(flag(parsed_query(query), "watch"))


def is_lasting(request: ApiRequest) -> bool:
    """Return True if a request is a watch or a stream, and therefore has no deadline."""
    address = parse_address(request.path)
    return address is not None and (asks_to_watch(request, address) or address.subresource in LASTING)


def requested_seconds(request: ApiRequest) -> float:
    """Return the value of the query parameter ``timeout`` in seconds; 0 if the request has none.

    Raises ApiError 400 for a malformed duration.
    """
    if b"timeout=" not in request.scope["query_string"]:
        return 0.0
    text = request.parameter("timeout")
    if not text:
        return 0.0
    try:
        return parse_duration(text)
    except ValueError as error:
        raise bad_request(f"invalid timeout specified in the request URL - time: {error}") from None


def audit_trail(scope: Scope) -> "AuditTrail | None":
    """Return the audit trail of a request; None if the request is not audited."""
    return scope.get("audit")


def audit_id_of(scope: Scope) -> bytes:
    """Return the audit id that the filters have given to a request."""
    audit_id: bytes = scope["audit_id"]
    return audit_id
