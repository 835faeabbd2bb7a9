"""Refuses requests that the authorizer does not allow (apiserver ``endpoints/filters/authorization.go``)."""

from time import monotonic
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.auth.authorization.interface import Authorizer, forbidden_request
from memkube.endpoints.filters.recording import note_refusal
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.request_attributes import attributes_of
from memkube.endpoints.responses.responses import refused
from memkube.telemetry.request_log import RequestLog

CONTROL: Final = "/memkube/"
"""Prefix of the paths of the control API, which is open to every client."""


class Authorization:
    """Passes the requests on that the authorizer allows, and answers 403 to the others."""

    def __init__(self, app: ASGIApp, authorizer: Authorizer, log: RequestLog) -> None:
        self._app = app
        self._authorizer = authorizer
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. Refused requests are recorded in the request log."""
        if scope["path"].startswith(CONTROL):
            await self._app(scope, receive, send)
            return
        request = ApiRequest(scope, receive)
        attributes = attributes_of(request)
        await self._authorizer.catch_up()
        decision = self._authorizer.authorize(attributes)
        if decision.allowed:
            await self._app(scope, receive, send)
            return
        await self._refuse(request, forbidden_request(attributes, decision.reason), send)

    async def _refuse(self, request: ApiRequest, error: ApiError, send: Send) -> None:
        request.log, request.arrived = self._log, monotonic()
        self._log.under_way.add(request)
        try:
            note_refusal(request.record, error)
            request.record.code = error.code
            await refused(request, error)(request.scope, request.receive, send)
        finally:
            self._log.end(request)
