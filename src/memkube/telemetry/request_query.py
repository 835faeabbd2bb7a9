"""Queries of the request log, and the representation of requests in results."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from memkube.apimachinery.go_strings import replaced
from memkube.apimachinery.shown_values import one_line
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.request_options import ANONYMOUS, LOOPBACK
from memkube.telemetry.request_bodies import shown_body
from memkube.telemetry.request_log import RequestLog, RequestRecord

_MOST_NEAREST: Final = 10


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A logged request, as it was at the time of the query."""

    number: int
    """Sequence number of the response, counted from 1; 0 while the request is in flight."""
    verb: str
    group: str
    version: str
    resource: str
    subresource: str
    namespace: str
    name: str
    path: str
    query: str
    user: str
    client: str
    """Name of the client: its User-Agent up to the first slash."""
    user_agent: str
    field_manager: str
    instant: datetime
    """Arrival time on the server's clock."""
    seconds: float
    """Duration in seconds of real time, until now if the request is in flight."""
    code: int
    """HTTP status; 0 if there is none yet or the request was aborted."""
    reason: str
    message: str
    revision: int
    """Revision of the object or list in the response; for a watch, the revision up to which all events were sent."""
    body: Any
    """Request body as JSON data, or as text if it is not JSON or was truncated. Values of Secrets are masked."""
    body_bytes: int
    denied: bool
    """True if the request was refused because the user lacks a right."""
    warnings: tuple[str, ...]
    audit_annotations: dict[str, str]
    dry_run: bool
    fault: str
    """Names of the injected faults, separated by commas; empty if there were none."""
    in_flight: bool
    events: int
    """Number of events sent by a watch."""
    controller: bool
    """True if a controller in this process sent the request."""

    def __str__(self) -> str:
        """Return a summary of the request in one line."""
        who = self.client if self.user in (ANONYMOUS, LOOPBACK.name) else f"{self.client} as {self.user}"
        return one_line(f"{self.instant:%H:%M:%S}.{self.instant.microsecond // 1000:03} {who} {_request_line(self)}")


def _request_line(request: LoggedRequest) -> str:
    target = "/".join(filter(None, (request.resource, request.name, request.subresource))) or request.path
    namespace_option = f" -n {request.namespace}" if request.namespace and request.resource != "namespaces" else ""
    answer = f"{request.code} {request.reason}".strip() if request.code else "no answer"
    details = [f"{request.seconds * 1000:.1f} ms"]
    if request.verb == "watch":
        details = [f"{request.events} events", *(["open"] if request.in_flight else [])]
    elif request.in_flight:
        details.append("under way")
    details += [f"fault {request.fault}"] if request.fault else []
    details += ["dry run"] if request.dry_run else []
    return f"{request.verb} {target}{namespace_option} -> {answer} ({', '.join(details)})"


class _Criterion(NamedTuple):
    what: str
    wanted: str
    found: str
    fits: bool


@dataclass(frozen=True, slots=True)
class RequestQuery:
    """Conditions that requests must meet. Text values may contain the wildcards ``*``, ``?`` and ``[...]``."""

    verbs: tuple[str, ...] = ()
    resource: str = ""
    """Plural, optionally with group (``deployments.apps``) or subresource (``pods/status``)."""
    client: str = ""
    """User-Agent, the part of it before the first slash, or the user name."""
    namespace: str = ""
    name: str = ""
    codes: tuple[int, ...] = ()
    fault: str = ""
    since_revision: int = 0
    """Minimum value of the server's newest revision when the request arrived."""
    since: datetime | None = None
    """Earliest arrival time on the server's clock."""
    after: int = 0
    """Sequence number of a response: only requests answered after it and requests in flight match."""
    in_flight: bool | None = None
    denied: bool | None = None
    """True for requests that were refused because the user lacks a right."""
    controllers: bool = False
    """True to include requests of controllers in this process, if they are logged."""

    def __str__(self) -> str:
        """Return the query as text for failure messages."""
        said = [f"{criterion.what} {criterion.wanted}" for criterion in self.criteria(RequestRecord.empty())]
        return ", ".join(said) or "any request"

    def fits(self, record: RequestRecord) -> bool:
        """True if a request meets all conditions."""
        return all(criterion.fits for criterion in self.criteria(record))

    def criteria(self, record: RequestRecord) -> Iterator[_Criterion]:
        """Yield each condition, the request's value for it, and True if the request meets the condition."""
        if self.verbs:
            fits = any(fnmatchcase(record.verb, verb) for verb in self.verbs)
            yield _Criterion("verb", " or ".join(self.verbs), record.verb, fits)
        if self.resource:
            names = _resource_names(record)
            yield _Criterion("resource", self.resource, names[0], any(fnmatchcase(n, self.resource) for n in names))
        if self.client:
            callers = (record.client, record.user_agent, record.user.name)
            yield _Criterion("client", self.client, record.client, any(fnmatchcase(c, self.client) for c in callers))
        if self.namespace:
            found = record.target.namespace
            yield _Criterion("namespace", self.namespace, found, fnmatchcase(found, self.namespace))
        if self.name:
            yield _Criterion("name", self.name, record.name, fnmatchcase(record.name, self.name))
        if self.codes:
            wanted = " or ".join(map(str, self.codes))
            yield _Criterion("status", wanted, str(record.code), record.code in self.codes)
        if self.fault:
            yield _Criterion("fault", self.fault, record.fault, bool(record.fault) and self._is_hit(record))
        yield from self._when(record)

    def _is_hit(self, record: RequestRecord) -> bool:
        return any(fnmatchcase(name, self.fault) for name in record.fault.split(", "))

    def _when(self, record: RequestRecord) -> Iterator[_Criterion]:
        if self.since_revision:
            fits = record.since >= self.since_revision
            yield _Criterion("since revision", str(self.since_revision), str(record.since), fits)
        if self.since is not None:
            yield _Criterion("since", f"{self.since}", f"{record.instant}", record.instant >= self.since)
        if self.after:
            fits = record.in_flight or record.number > self.after
            yield _Criterion("after number", str(self.after), str(record.number), fits)
        if self.denied is not None:
            state = ("allowed", "denied")
            fits = bool(record.denied) is self.denied
            yield _Criterion("authorization", state[self.denied], state[bool(record.denied)], fits)
        if self.in_flight is not None:
            state = ("answered", "under way")
            fits = record.in_flight is self.in_flight
            yield _Criterion("state", state[self.in_flight], state[record.in_flight], fits)


class Requests:
    """Answers queries of a server's request log."""

    def __init__(self, log: RequestLog, catalog: Catalog) -> None:
        self._log = log
        self._catalog = catalog

    def found(self, query: RequestQuery) -> list[LoggedRequest]:
        """Return the matching requests: answered requests in the order of their responses, then requests in flight."""
        return [self.shown(record) for record in self._about(query) if query.fits(record)]

    def counted(self, query: RequestQuery) -> dict[str, dict[str, int]]:
        """Return the number of matching requests by client and verb."""
        counts: dict[str, Counter[str]] = {}
        for record in self._about(query):
            if query.fits(record):
                counts.setdefault(record.client, Counter())[record.verb] += 1
        return {client: dict(verbs) for client, verbs in counts.items()}

    def cleared(self, query: RequestQuery) -> int:
        """Remove the matching answered requests, and return their number."""
        return self._log.clear(lambda record: record.is_internal <= query.controllers and query.fits(record))

    def nearest(self, query: RequestQuery) -> list[str]:
        """Return a line for each of the requests that meet the most conditions, with the conditions that they fail."""
        ranked = []
        for record in self._about(query):
            unmet = [criterion for criterion in query.criteria(record) if not criterion.fits]
            ranked.append((len(unmet), -record.arrived, record, unmet))
        ranked.sort(key=lambda entry: entry[:2])
        lines = []
        for _, _, record, unmet in ranked[:_MOST_NEAREST]:
            why = ", ".join(f"{c.what} is {c.found or 'none'}" for c in unmet)
            lines.append(f"{self.shown(record)}" + (f"   [{why}]" if why else ""))
        return lines

    def shown(self, record: RequestRecord, *, with_body: bool = True) -> LoggedRequest:
        """Return a record of the request log as a LoggedRequest, without request body if `with_body` is false."""
        target = record.target
        return LoggedRequest(
            number=record.number,
            verb=record.verb,
            group=replaced(target.group),
            version=replaced(target.version),
            resource=replaced(target.resource),
            subresource=replaced(target.subresource),
            namespace=replaced(target.namespace),
            name=replaced(record.name),
            path=replaced(record.path),
            query=record.query.decode("latin-1"),
            user=replaced(record.user.name),
            client=record.client,
            user_agent=record.user_agent,
            field_manager=replaced(record.manager),
            instant=record.instant,
            seconds=record.seconds,
            code=record.code,
            reason=record.reason,
            message=replaced(record.message),
            revision=record.revision,
            body=shown_body(record, self._catalog) if with_body else None,
            body_bytes=record.body_size,
            denied=bool(record.denied),
            warnings=tuple(record.warnings),
            audit_annotations=dict(record.annotations),
            dry_run=record.dry_run,
            fault=record.fault,
            in_flight=record.in_flight,
            events=record.events,
            controller=record.is_internal,
        )

    def _about(self, query: RequestQuery) -> Iterable[RequestRecord]:
        return (record for record in self._log.records() if query.controllers or not record.is_internal)


def _resource_names(record: RequestRecord) -> tuple[str, str]:
    target = record.target
    behind = f"/{target.subresource}" if target.subresource else ""
    return f"{target.resource}{behind}", f"{target.resource}.{target.group}{behind}"
