"""Refuses requests that the authorizer does not allow (apiserver ``endpoints/filters/authorization.go``)."""

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.auth.authorization.interface import Authorizer, forbidden_request
from memkube.endpoints.auditing.trail import DECISION, REASON
from memkube.endpoints.filters.recording import refuse_and_record
from memkube.endpoints.requests.api_request import ApiRequest, audit_trail
from memkube.endpoints.requests.request_attributes import attributes_by_path, attributes_of
from memkube.telemetry.request_log import RequestLog


class Authorization:
    """Passes the requests on that the authorizer allows, and answers 403 to the others."""

    def __init__(self, app: ASGIApp, authorizer: Authorizer, log: RequestLog) -> None:
        self._app = app
        self._authorizer = authorizer
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Refused requests are recorded in the request log."""
        # Most reads have no query, and then need no parsed headers.
        if scope["query_string"]:
            attributes = attributes_of(ApiRequest(scope, receive))
        else:
            attributes = attributes_by_path(scope.get("method", "GET"), scope["path"], scope["user"])
        await self._authorizer.catch_up()
        decision = self._authorizer.authorize(attributes)
        trail = audit_trail(scope)
        if trail is not None:
            trail.annotate({DECISION: "allow" if decision.allowed else "forbid", REASON: decision.reason})
        if decision.allowed:
            await self._app(scope, receive, send)
            return
        error = forbidden_request(attributes, decision.reason)
        await refuse_and_record(ApiRequest(scope, receive), error, send, self._log)
