"""Refuses writes to a server that only shows a saved snapshot."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.responses.responses import refused

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_MESSAGE: Final = "the server shows a saved snapshot, and serves only reads"


class ReadOnly:
    """Passes reads to an application, and answers 405 to all other requests."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request. WebSockets are refused too, because a command in a container could change the state."""
        if scope["type"] == "http" and scope["method"] in _READS:
            await self._application(scope, receive, send)
            return
        # The filters set the audit id of a request, but they do not run for this one, so it gets an empty audit id.
        scope.setdefault("audit_id", b"")
        error = ApiError(405, "MethodNotAllowed", _MESSAGE)
        await refused(ApiRequest(scope, receive), error)(scope, receive, send)
