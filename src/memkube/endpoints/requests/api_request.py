"""An HTTP request as filters and endpoints read it: its address, its client and its parameters.

Addresses follow apiserver ``endpoints/request`` (RequestInfo).
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
from memkube.apimachinery.shown_values import quoted
from memkube.faults.attributes import RequestAttributes
from memkube.registry.declarations.request_options import ANONYMOUS, NOBODY, User
from memkube.telemetry.measures import RequestSeries
from memkube.telemetry.request_log import RequestLog, RequestRecord, Target
from memkube.time.request_context import RequestContext

if TYPE_CHECKING:
    from memkube.endpoints.auditing.trail import AuditTrail

_BAD_PATH_ESCAPE = re.compile(rb"%(?![0-9a-fA-F]{2})")
_MOST_REMEMBERED = 256
"""Maximum length of a path for which the parsed result is cached."""
HEALTH: Final = ("healthz", "livez", "readyz")
"""Paths of the health checks, without those of single checks below them."""
_HEALTH_PATHS: Final = tuple(f"/{name}" for name in HEALTH)
DOCS_FILES: Final = "/docs/files"
"""Path of the files of Swagger UI."""
_NAMESPACE_SUBRESOURCES = frozenset({"status", "finalize"})
_IMPERSONATED: Final = b"impersonate-user"
_USER_AGENT: Final = b"user-agent"
BODY_LIMIT = 3 * 1024 * 1024
_BAD_PARAMETER = re.compile(rb"%(?![0-9a-fA-F]{2})|;")
"""A query parameter that matches this has an invalid escape, and is ignored."""
_READS: Final = frozenset({"GET", "HEAD"})
"""Methods of reads. Only custom kinds and some paths without a resource answer HEAD."""
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_PEOPLE = (b"curl", b"Wget", b"Mozilla/5.0")
"""User agents of command lines and browsers, whose users get indented JSON."""

LASTING: Final = frozenset({"attach", "exec", "log", "portforward", "proxy"})
"""Subresources whose requests may last as long as the client wants, such as ``log``; they have no deadline."""


class MalformedRequest(Exception):
    """Raised if the path of a request is malformed. It is answered with a line of text instead of a Status."""

    def __init__(self, text: str = "400 Bad Request", code: int = 400) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


@dataclass(frozen=True, slots=True)
class Address(Target):
    """The parts of a path below ``/api`` or ``/apis``. Missing parts are ""."""

    rest: str = ""
    """The path after the subresource, as in a request to a ``proxy`` subresource."""
    watch: bool = False
    """True for a deprecated ``/watch/`` path."""

    @property
    def is_below_version(self) -> bool:
        """True if the address names a resource, and not only a group and version."""
        return bool(self.resource or self.name or self.watch)

    @property
    def group_resource(self) -> GroupResource:
        """The resource as the client names it, even if its objects are stored as another resource."""
        return GroupResource(self.group, self.resource)


def parse_address(path: str) -> Address | None:
    """Return the parts of a path; None if it is not below a group and version.

    One slash at the end is ignored; empty segments count as segments.
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
"""The address of a path, cached because clients repeat their paths."""


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


def check_escapes(scope: Scope) -> None:
    """Check the escapes in the path. Raises MalformedRequest if a percent sign is not followed by two hex digits."""
    if _BAD_PATH_ESCAPE.search(scope.get("raw_path") or b""):
        raise MalformedRequest


def request_uri(scope: Scope) -> str:
    """Return the path and query of a request as the client sent them."""
    return b"?".join(part for part in (scope.get("raw_path") or b"", scope["query_string"]) if part).decode("latin-1")


def check_watched(address: Address, scope: Scope) -> None:
    """Check a deprecated ``/watch`` path. Raises MalformedRequest if it names no resource."""
    if address.resource:
        return
    uri = request_uri(scope)
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {uri}"
    raise MalformedRequest(f"Internal Server Error: {quoted(uri)}: {why}\n", 500)


def flow_of(scope: Scope) -> object:
    """Return a hashable key that is equal for requests of one client.

    The key is the user's name; for anonymous clients it is their address and user agent. Before the filters have set
    ``scope["user"]``, the user is taken from the Impersonate-User header.
    """
    headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
    user = scope["user"].name if "user" in scope else headers.get(_IMPERSONATED, b"").decode("latin-1")
    if user and user != ANONYMOUS:
        return user
    client = scope.get("client")
    return client and client[0], headers.get(_USER_AGENT, b"")


class ApiRequest(HTTPConnection):
    """An HTTP request or a WebSocket handshake. Its parts are parsed when they are first read."""

    context: RequestContext | None = None
    """Measures the time of each step of a request for a resource; None for a plain GET of one object."""
    log: RequestLog
    """The request log that records this request."""
    arrived: float
    """Time of arrival, by ``time.monotonic``."""
    answered: str | int = 0
    """Revision of the object or list in the answer, for the request log."""
    noted: RequestRecord | None = None
    """The record in the request log, if it has been made already."""
    series: RequestSeries | None = None
    """The series of the request metrics that counts this request; None until its resource is known."""
    posted_name: str = ""
    """Name of the object in the body of a creation; read only if a fault rule depends on it."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.method: str = scope.get("method", "GET")
        self.path: str = scope["path"]
        # If a header is repeated, its first value counts.
        self._first_headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
        self._query: dict[str, list[str]] | None = None
        self.is_read = False
        """True once the body has been read."""

    @property
    def record(self) -> RequestRecord:
        """The record of this request in the request log, made on first use."""
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
        """The user that makes the request: ``system:anonymous`` unless the client impersonates another."""
        user: User = self.scope.get("user", NOBODY)
        return user

    @cached_property
    def flow(self) -> object:
        """The client's flow: see :func:`flow_of`."""
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
        """True if JSON is to be indented: ``?pretty=true``, or the user agent of a person (isPrettyPrint)."""
        if b"pretty" in self.scope["query_string"] and (asked := self.parameter("pretty")):
            return asked in _TRUE
        return self._first_headers.get(b"user-agent", b"").startswith(_PEOPLE)

    async def body(self) -> bytes:
        """Read the whole body. Raises ApiError 413 if it is longer than 3 MiB, 400 if the client disconnects."""
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
        self.is_read = True
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def asked(self) -> RequestAttributes:
        """Return the verb, resource and client of the request (RequestInfo), which fault rules match."""
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
        )

    def was_hit(self, fault: str) -> None:
        """Record in the request log that the fault of this name was applied to the request."""
        self.record.hit_by(fault)


def parsed_query(raw: bytes) -> dict[str, list[str]]:
    """Return the values of each query parameter. Parameters with an invalid escape are left out."""
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
    """Return True if a request asks for a watch."""
    if address.watch:
        return True
    asked = request.method in _READS and not address.name and b"watch" in request.scope["query_string"]
    return asked and bool(flag(request.query, "watch"))


def wants_watch(query: bytes) -> bool:
    """Return True if the query of a request for a collection asks for a watch."""
    return b"watch" in query and bool(flag(parsed_query(query), "watch"))


def is_lasting(request: ApiRequest) -> bool:
    """Return True for a watch or a stream, which has no deadline."""
    address = parse_address(request.path)
    return address is not None and (asks_to_watch(request, address) or address.subresource in LASTING)


def requested_seconds(request: ApiRequest) -> float:
    """Return the ``timeout`` of a request in seconds, 0 for none. Raises ApiError 400 for a malformed duration."""
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
    """Return the audit trail of a request; None if it is not audited."""
    return scope.get("audit")


def audit_id_of(scope: Scope) -> bytes:
    """Return the audit id that the filters have given to a request."""
    audit_id: bytes = scope["audit_id"]
    return audit_id
