"""A request as the handlers read it."""

import re
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope

from memkube.apimachinery.errors import ApiError, bad_request
from memkube.registry.declarations.request_options import ANONYMOUS, NOBODY, User
from memkube.telemetry.measures import RequestSeries
from memkube.telemetry.request_log import RequestLog
from memkube.telemetry.request_record import RequestRecord
from memkube.time.request_context import Asking

if TYPE_CHECKING:
    from memkube.endpoints.filters.seats import Seats

BODY_LIMIT = 3 * 1024 * 1024
_BAD_ESCAPE = re.compile(r"%(?![0-9a-fA-F]{2})|;")
"""What keeps a query parameter from being read at all."""


_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_PEOPLE = (b"curl", b"Wget", b"Mozilla/5.0")
"""What the agents of people call themselves."""


class ApiRequest:
    """The parts of an HTTP request that answers depend on, read when asked for."""

    asking: Asking | None = None
    """What those know who are far from it; but for a GET, which is over too soon, requests for resources have it."""
    log: RequestLog
    """The log of requests, where the request is recorded: those for resources are."""
    arrived: float
    """When it came, by ``time.monotonic``."""
    answered: str | int = 0
    """The revision of its answer."""
    noted: RequestRecord | None = None
    """Its record in the log, if it has one already."""
    seats: "Seats | None" = None
    """Where it has a seat, or waits for one."""
    series: RequestSeries | None = None
    """What it is counted among, once it is known what it is about."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.receive = receive
        self.method: str = scope.get("method", "GET")
        self.path: str = scope["path"]
        # The first header of each name.
        self._headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
        self._query: dict[str, list[str]] | None = None
        self.is_read = False
        """Whether the body has been read."""

    @property
    def record(self) -> RequestRecord:
        """Its record in the log of requests, for whoever has something to note."""
        record = self.noted
        if record is None:
            query: bytes = self.scope["query_string"]
            record = self.log.record(self.method, self.path, query, self.user_agent, self.user, self.arrived)
            self.noted = record
        return record

    def header(self, name: bytes) -> str:
        """The first header of this lower-case name, empty where there is none."""
        value = self._headers.get(name)
        return value.decode("latin-1") if value else ""

    @property
    def user_agent(self) -> bytes:
        """The User-Agent header."""
        return self._headers.get(b"user-agent", b"")

    @property
    def user(self) -> User:
        """Who asks, as far as anybody has said so."""
        user: User = self.scope.get("user", NOBODY)
        return user

    @cached_property
    def flow(self) -> object:
        """Whose request it is, as far as clients are told apart: the user's, or an anonymous one's by its address."""
        user, client = self.user.name, self.scope.get("client")
        return (client and client[0], self.user_agent) if user == ANONYMOUS else user

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
        """The first value of a query parameter, empty where there is none."""
        values = self.query.get(name)
        return values[0] if values else ""

    @property
    def pretty(self) -> bool:
        """Whether JSON is to be laid out for people: who asks for it, and who looks like one (isPrettyPrint)."""
        if b"pretty" in self.scope["query_string"] and (asked := self.parameter("pretty")):
            return asked in _TRUE
        return self._headers.get(b"user-agent", b"").startswith(_PEOPLE)

    async def body(self) -> bytes:
        """The whole body. Raises ApiError 413 over 3 MiB, 400 where the client hangs up."""
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


def parsed_query(raw: bytes) -> dict[str, list[str]]:
    """The parameters of a query; those that are badly escaped are left out."""
    found: dict[str, list[str]] = {}
    if not raw:
        return found
    pairs = "&".join(pair for pair in raw.decode("latin-1").split("&") if not _BAD_ESCAPE.search(pair))
    for key, value in parse_qsl(pairs, keep_blank_values=True):
        found.setdefault(key, []).append(value)
    return found
