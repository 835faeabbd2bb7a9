"""Rejects requests that the authorizer does not allow (apiserver ``endpoints/filters/authorization.go``)."""

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.shown_values import quoted
from memkube.auth.authorization.interface import Authorizer, forbidden_request
from memkube.endpoints.auditing.trail import DECISION, REASON
from memkube.endpoints.filters.recording import refuse_and_record
from memkube.endpoints.requests.api_request import ApiRequest, audit_trail, request_uri
from memkube.endpoints.requests.request_attributes import attributes_by_path, attributes_of
from memkube.endpoints.responses.responses import refused_access, text_response
from memkube.registry.declarations.authorization import unlike_html
from memkube.telemetry.request_log import RequestLog


class Authorization:
    """Passes a request to the application if the authorizer allows it, and answers 403 otherwise."""

    def __init__(self, app: ASGIApp, authorizer: Authorizer, log: RequestLog) -> None:
        self._app = app
        self._authorizer = authorizer
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application if the authorizer allows it, otherwise answer 403.

        The request log records rejected requests.
        """
        # Most requests have no query. Their attributes follow from method and path, without parsing headers and query.
        if scope["query_string"]:
            attributes = attributes_of(ApiRequest(scope, receive))
        else:
            attributes = attributes_by_path(scope.get("method", "GET"), scope["path"], scope["user"])
        decision = await self._authorizer.decide(attributes)
        trail = audit_trail(scope)
        if trail is not None:
            trail.annotate({DECISION: "allow" if decision.allowed else "forbid", REASON: decision.reason})
        if decision.allowed:
            await self._app(scope, receive, send)
            return
        request = ApiRequest(scope, receive)
        if decision.error:
            await self._fail(request, decision.error, send)
            return
        error = forbidden_request(attributes, decision.reason)
        await refuse_and_record(request, error, send, self._log, refused_access(request, error))

    async def _fail(self, request: ApiRequest, error: str, send: Send) -> None:
        """Answer 500 with a line of text if an authorizer fails (``responsewriters.InternalError``)."""
        text = f"Internal Server Error: {quoted(request_uri(request.scope))}: {error}"
        failure = ApiError(500, "InternalError", text)
        await refuse_and_record(request, failure, send, self._log, text_response(f"{unlike_html(text)}\n", 500))
