"""An HTTP request as filters and endpoints read it: headers, query, user and body."""

import re
from functools import cached_property
from typing import Final
from urllib.parse import unquote_to_bytes

from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.go_strings import go_string
from memkube.apimachinery.query import flag
from memkube.endpoints.requests.address import Address, parse_address
from memkube.endpoints.requests.flow import flow_of
from memkube.faults.attributes import RequestAttributes
from memkube.registry.declarations.request_options import NOBODY, User
from memkube.telemetry.measures import RequestSeries
from memkube.telemetry.request_log import RequestLog, RequestRecord
from memkube.time.request_context import RequestContext

BODY_LIMIT = 3 * 1024 * 1024
_BAD_ESCAPE = re.compile(rb"%(?![0-9a-fA-F]{2})|;")
"""A query parameter that matches this has an invalid escape, and is ignored."""
_READS: Final = frozenset({"GET", "HEAD"})
"""Methods of reads. Only custom kinds and some paths without a resource answer HEAD."""
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_PEOPLE = (b"curl", b"Wget", b"Mozilla/5.0")
"""User agents of command lines and browsers, whose users get indented JSON."""

LASTING: Final = frozenset({"attach", "exec", "log", "portforward", "proxy"})
"""Subresources whose requests may last as long as the client wants, such as ``log``; they have no deadline."""


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
        """The User-Agent header."""
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
        """The Accept header."""
        return self.header(b"accept")

    @property
    def query(self) -> dict[str, list[str]]:
        """The query parameters."""
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
        """Return the attributes of the request that fault rules match (kube-apiserver's RequestInfo)."""
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
        """Record in the request log that the fault of this name hit the request."""
        self.record.hit_by(fault)


def parsed_query(raw: bytes) -> dict[str, list[str]]:
    """Return the values of each query parameter. Parameters with an invalid escape are left out."""
    found: dict[str, list[str]] = {}
    if not raw:
        return found
    for pair in raw.replace(b"+", b" ").split(b"&"):
        if pair and not _BAD_ESCAPE.search(pair):
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
