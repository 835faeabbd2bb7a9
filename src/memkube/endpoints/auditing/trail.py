"""The audit events of one request, one for each stage (apiserver ``pkg/audit`` and ``endpoints/filters/audit.go``)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import orjson
from starlette.types import Message, Scope, Send

from memkube.apimachinery.go_strings import go_string, replaced
from memkube.apimachinery.ip_addresses import parse_ip
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import MicroTime
from memkube.endpoints.auditing.log_file import AuditSink
from memkube.endpoints.auditing.rule import AuditRule, Level
from memkube.endpoints.requests.api_request import LASTING
from memkube.endpoints.transport import CLIENT_CERTIFICATES, WHOLE
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.request_options import User, WriteContext
from memkube.telemetry.measures import Measures
from memkube.time.clock import Clock

DECISION: Final = "authorization.k8s.io/decision"
"""Key of the event annotation with the authorizer's decision, ``allow`` or ``forbid``."""
REASON: Final = "authorization.k8s.io/reason"
"""Key of the event annotation with the reason for the authorizer's decision."""
DEPRECATED: Final = "k8s.io/deprecated"
"""Key of the event annotation ``true`` of requests for deprecated resources."""
_LONGEST_AGENT: Final = 1024
_BODIES: Final = frozenset({WHOLE, "http.response.body", "websocket.http.response.body"})
"""Types of the ASGI messages that contain a part of the response's body, or all of it."""
_STATUS_FIELDS: Final = ("status", "message", "reason", "details", "code")
_REFERENCE_ORDER: Final = (
    "resource", "namespace", "name", "uid", "apiGroup", "apiVersion", "resourceVersion", "subresource",
)  # fmt: skip
_ORDER: Final[tuple[str, ...]] = (
    "kind", "apiVersion", "level", "auditID", "stage", "requestURI", "verb", "user", "impersonatedUser",
    "authenticationMetadata", "sourceIPs", "userAgent", "objectRef", "responseStatus", "requestObject",
    "responseObject", "requestReceivedTimestamp", "stageTimestamp", "annotations",
)  # fmt: skip
"""Fields of an audit event in the order in which Kubernetes writes them."""


class AuditTrail:
    """The audit event of one request.

    The event is completed while the request is handled, and written in each stage that the policy does not omit.
    """

    def __init__(
        self,
        rule: AuditRule,
        sinks: Sequence[AuditSink],
        clock: Clock,
        measures: Measures,
        scope: Scope,
        request: Attributes,
    ) -> None:
        self._rule = rule
        self._sinks = sinks
        self._clock = clock
        self._measures = measures
        self._lasts = request.verb in ("watch", "proxy") or request.subresource in LASTING
        self._body = bytearray()
        self._is_json = False
        self._is_noted = False
        """True if the response needs no further look: its object is recorded, or it is not an object of this server."""
        self._has_ended = False
        self._context: WriteContext | None = None
        arrived = MicroTime.at(clock.now())
        query = scope["query_string"]
        has_query = query or "has_empty_query" in scope
        self._event: Document = {
            "kind": "Event",
            "apiVersion": "audit.k8s.io/v1",
            "level": rule.level_name,
            "auditID": replaced(go_string(scope["audit_id"])),
            "requestURI": replaced(go_string(_raw_path(scope) + (b"?" + query if has_query else b""))),
            "verb": request.verb,
            "user": _user_info(request.user),
            "sourceIPs": _source_ips(scope),
            "userAgent": _user_agent(scope),
            "requestReceivedTimestamp": arrived,
        }
        if request.is_resource:
            reference = {
                "resource": request.resource,
                "namespace": request.namespace,
                "name": request.name,
                "apiGroup": request.group,
                "apiVersion": request.version,
                "subresource": request.subresource,
            }
            self._event["objectRef"] = {name: value for name, value in reference.items() if value}

    def begin(self) -> None:
        """Write the event of the stage RequestReceived."""
        self._write("RequestReceived", self._event["requestReceivedTimestamp"])

    def impersonated(self, user: User, constraint: str) -> None:
        """Record the impersonated user.

        `constraint` is the verb of constrained impersonation (KEP-5284) that allows the impersonation. It is empty if
        the impersonation is not constrained.
        """
        self._event["impersonatedUser"] = _user_info(user)
        if constraint:
            self._event["authenticationMetadata"] = {"impersonationConstraint": constraint}

    def annotate(self, annotations: Mapping[str, str]) -> None:
        """Add annotations to the event. An annotation that the event already has keeps its value."""
        if not annotations:
            return
        known = self._event.setdefault("annotations", {})
        for key, value in annotations.items():
            known.setdefault(key, value)

    @property
    def includes_response_object(self) -> bool:
        """True if events of this request include the object in the response."""
        return self._rule.level >= Level.REQUEST_RESPONSE

    @property
    def includes_request_object(self) -> bool:
        """True if events of this request include the object that the client sent."""
        return self._rule.level >= Level.REQUEST

    def follow(self, context: WriteContext) -> None:
        """Remember the context of a write. Its audit annotations are added to the event at the end of the request."""
        self._context = context

    def request_object(self, document: Document) -> None:
        """Record the object that the client sent, and complete the event's ``objectRef`` from its metadata."""
        metadata = document.get("metadata") or {}
        reference = self._event.setdefault("objectRef", {})
        for name in ("namespace", "name", "uid", "resourceVersion"):
            if metadata.get(name) and not reference.get(name):
                reference[name] = metadata[name]
        if self.includes_request_object:
            self._event["requestObject"] = self._shown(document)

    def request_patch(self, patch: bytes) -> None:
        """Record the patch that the client sent. A patch that is not JSON is omitted, because events are JSON."""
        if self.includes_request_object:
            try:
                self._event["requestObject"] = orjson.loads(patch)
            except orjson.JSONDecodeError:
                return

    def response_object(self, document: Document) -> None:
        """Record the object in a protobuf or YAML response.

        Objects in JSON responses are read from the response's body instead.
        """
        self._is_noted = True
        if document.get("kind") == "Status":
            self._event["responseStatus"] = _status(document)
        if self.includes_response_object:
            self._event["responseObject"] = self._shown(document)

    def omit_response_object(self) -> None:
        """Record only the code of the response, because kube-apiserver does not write it as an object."""
        self._is_noted = True

    def sending(self, send: Send) -> Send:
        """Wrap an ASGI ``send``, to record the response.

        If the response is a stream, the event of the stage ResponseStarted is written when it begins. The last event is
        written before the end of the response is sent: as in kube-apiserver, a client that has received the response
        finds the event in the log. This also holds for requests for a stream that are refused.
        """

        def noting(message: Message) -> Awaitable[None]:
            if "status" in message:
                self._respond(message["status"], message["headers"])
            elif message["type"] in ("websocket.accept", "http.upgrade.accept"):
                self._respond(101, ())
            if self._is_json:
                for piece in message.get("pieces") or (message.get("body", b""),):
                    self._keep(piece)
            if message["type"] in _BODIES and not message.get("more_body"):
                self.end()
            return send(message)

        return noting

    def end(self, error: BaseException | None = None) -> None:
        """Write the event of the last stage, if it is not written yet.

        The stage is ResponseComplete, or Panic if the server failed with an error.
        """
        if self._has_ended:
            return
        self._has_ended = True
        if isinstance(error, Exception):
            message = f"APIServer panic'd: {error}"
            failure = {"status": "Failure", "message": message, "reason": "InternalError", "code": 500}
            self._event["responseStatus"] = {"metadata": {}, **failure}
            self._write("Panic")
            return
        if "responseStatus" not in self._event:
            early = {"status": "Success", "message": "Connection closed early", "code": 200}
            self._event["responseStatus"] = {"metadata": {}, **early}
            if self._lasts:
                self._write("ResponseStarted")
        self._note_body()
        if self._context is not None:
            hidden = () if self.includes_request_object else self._context.detailed_annotations
            added = self._context.audit_annotations.items()
            self.annotate({key: value for key, value in added if key not in hidden})
        self._write("ResponseComplete")

    def refuse_early(self, why: str) -> None:
        """Record that the request is refused before its user is known, for the reason `why`.

        The only event of such a request is ResponseStarted.
        """
        self._lasts = self._has_ended = True
        self._event["user"] = {}
        self._event["responseStatus"] = {"metadata": {}, "message": why}

    def _respond(self, code: int, headers: Any) -> None:
        status = self._event.setdefault("responseStatus", {"metadata": {}})
        status["code"] = code
        if self._lasts:
            self._write("ResponseStarted")
            return
        kinds = [value for name, value in headers if name.lower() == b"content-type"]
        self._is_json = bool(kinds) and kinds[0].startswith(b"application/json")

    def _keep(self, body: bytes) -> None:
        """Save `body`, a part of the response's body, if it may become a part of the audit event.

        The audit event contains the object in the response if the policy's level says so. A Status is always needed,
        because the event contains the reason in it. So a body that may be a Status is saved too.
        """
        if self.includes_response_object or self._body or b'"Status"' in body[:64]:
            self._body += body

    def _note_body(self) -> None:
        """Record the object or the Status in the JSON body of the response."""
        if self._is_noted or not self._body:
            return
        is_status = b'"kind":"Status"' in self._body[:64].replace(b" ", b"").replace(b"\n", b"")
        if not self.includes_response_object and not is_status:
            return
        try:
            document = orjson.loads(bytes(self._body))
        except orjson.JSONDecodeError:
            return
        if is_status:
            code = self._event["responseStatus"].get("code")
            self._event["responseStatus"] = {**_status(document), "code": code}
        # kube-apiserver records objects only: no OpenAPI documents, versions and lists of paths.
        if self.includes_response_object and "kind" in document:
            self._event["responseObject"] = self._shown(document)

    def _shown(self, document: Document) -> Document:
        return _without_managed_fields(document) if self._rule.omits_managed_fields else document

    def _write(self, stage: str, instant: str = "") -> None:
        if stage in self._rule.omitted_stages:
            return
        event = {**self._event, "stage": stage, "stageTimestamp": instant or MicroTime.at(self._clock.now())}
        reference = event.get("objectRef")
        if reference is not None:
            event["objectRef"] = {name: reference[name] for name in _REFERENCE_ORDER if reference.get(name)}
        # Omit empty fields, except the verb of a request for a path, and the requestObject: it may be an empty patch.
        written = {
            name: event[name]
            for name in _ORDER
            if name in event and (name in ("verb", "requestObject") or event[name] not in (None, [], ""))
        }
        self._measures.audit_events += 1
        for sink in self._sinks:
            sink.write(written)


class Auditor:
    """Creates the audit trails of requests, as the audit policy decides."""

    def __init__(
        self,
        rule_for: Callable[[Attributes], AuditRule],
        sinks: Sequence[AuditSink],
        clock: Clock,
        measures: Measures,
    ) -> None:
        """Create the auditor. `rule_for` gets the attributes of a request and returns the policy's rule for it."""
        self._rule_for = rule_for
        self._sinks = sinks
        self._clock = clock
        self._measures = measures

    def trail_of(self, scope: Scope, request: Attributes) -> AuditTrail | None:
        """Create the audit trail of a request, and store it as ``scope["audit"]``.

        Returns None if the policy does not record the request.
        """
        rule = self._rule_for(request)
        self._measures.audit_levels[rule.level_name] += 1
        if rule.level is Level.NONE:
            return None
        trail = scope["audit"] = AuditTrail(rule, self._sinks, self._clock, self._measures, scope, request)
        return trail

    async def close(self) -> None:
        """Write all pending events to the log file and the webhook, and close them."""
        for sink in self._sinks:
            await sink.close()


def _user_info(user: User) -> Document:
    found: Document = {"username": user.name, "uid": user.uid, "groups": list(user.groups)}
    found["extra"] = {name: list(values) for name, values in user.extra.items()}
    return {name: value for name, value in found.items() if value}


def _status(status: Document) -> Document:
    fields = {
        name: status[name] for name in _STATUS_FIELDS if status.get(name) or (name == "details" and name in status)
    }
    return {"metadata": {}, **fields}


def _raw_path(scope: Scope) -> bytes:
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.partition(b"?")[0]


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")


def _user_agent(scope: Scope) -> str:
    agent = _header(scope, b"user-agent")
    text = agent[:_LONGEST_AGENT] + b"...TRUNCATED" if len(agent) > _LONGEST_AGENT else agent
    return replaced(go_string(text))


def _source_ips(scope: Scope) -> list[str]:
    """Return the client addresses in headers of proxies, then that of the connection (``utilnet.SourceIPs``)."""
    forwarded = [part.strip() for part in _header(scope, b"x-forwarded-for").decode("latin-1").split(",")]
    found = [part for part in forwarded if parse_ip(part) is not None]
    real, client = _header(scope, b"x-real-ip").decode("latin-1"), (scope.get("client") or ("",))[0]
    if parse_ip(real) is not None and real not in found:
        found.append(real)
    if parse_ip(client) is not None and found[-1:] != [client]:
        found.append(client)
    return found


def authentication_attempts(scope: Scope) -> str:
    """Return an error message that lists the types of the rejected credentials, without their values."""
    kind, _, value = _header(scope, b"authorization").decode("latin-1").strip().partition(" ")
    tried: list[str] = [name for name in ("basic", "bearer") if kind.lower() == name and value]
    if b"access_token=" in scope["query_string"]:
        tried.append("access_token")
    if scope.get("extensions", {}).get(CLIENT_CERTIFICATES):
        tried.append("x509")
    if not tried:
        return "Authentication failed, no credentials provided"
    return f"Authentication failed, attempted: {', '.join(tried)}"


def _without_managed_fields(document: Document) -> Document:
    """Return an object, list or Table without the managedFields of its objects."""
    strip: Callable[[Any], Any] = lambda item: _without_managed_fields(item) if isinstance(item, dict) else item  # noqa: E731
    found = dict(document)
    metadata = found.get("metadata")
    if isinstance(metadata, dict):
        found["metadata"] = {name: value for name, value in metadata.items() if name != "managedFields"}
    if isinstance(found.get("items"), list):
        found["items"] = [strip(item) for item in found["items"]]
    if isinstance(found.get("rows"), list):
        found["rows"] = [{**row, "object": strip(row["object"])} if "object" in row else row for row in found["rows"]]
    return found
