"""The filters that every request passes (apiserver ``server``: DefaultBuildHandlerChain)."""

import logging
from collections.abc import Awaitable
from itertools import count
from random import getrandbits
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.endpoints.filters.impersonation import IMPERSONATE, user_of
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.responses.responses import refused
from memkube.endpoints.transport import WHOLE
from memkube.registry.declarations.request_options import NOBODY
from memkube.registry.reads.collection import written_uuid

_LOGGER: Final = logging.getLogger("memkube")
_AUDIT_ID: Final = b"audit-id"
_NOT_CACHED: Final = (b"cache-control", b"no-cache, private")
_STARTS: Final = frozenset({WHOLE, "http.response.start", "websocket.http.response.start"})
_COUNTER_DIGITS: Final = 12
"""Number of hexadecimal digits at the end of an audit id that count the requests."""
_IGNORED_CREDENTIALS: Final = (
    "ignoring credentials sent by a client: authentication is off, and every client is system:anonymous "
    "and may do anything"
)


class Filters:
    """Sets the user of a request (``scope["user"]``: a User), and completes the headers of its response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._saw_credentials = False
        # Audit ids are not secrets, so they need no cryptographic randomness.
        self._audit_ids = written_uuid(getrandbits(128))[:-_COUNTER_DIGITS].encode()
        self._numbers = count(getrandbits(32))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application; answer it here if its impersonation headers are malformed."""
        audit_id = b""
        impersonates = False
        for name, value in scope["headers"]:
            if name == _AUDIT_ID:
                audit_id = audit_id or value
            elif name.startswith(IMPERSONATE):
                impersonates = True
            elif name == b"authorization" and not self._saw_credentials:
                self._saw_credentials = True
                _LOGGER.warning(_IGNORED_CREDENTIALS)
        scope["audit_id"] = audit_id = audit_id or b"%b%012x" % (self._audit_ids, next(self._numbers))
        audit_header = (_AUDIT_ID, audit_id)

        def completed(message: Message) -> Awaitable[None]:
            if message["type"] in _STARTS:
                headers = message["headers"]
                for name, _ in headers:
                    if name == b"cache-control":
                        message["headers"] = [audit_header, *headers]
                        break
                else:
                    message["headers"] = [audit_header, _NOT_CACHED, *headers]
            return send(message)

        try:
            scope["user"] = user_of(scope["headers"]) if impersonates else NOBODY
        except ApiError as error:
            await refused(ApiRequest(scope, receive), error)(scope, receive, completed)
        else:
            await self._app(scope, receive, completed)


def audit_id_of(scope: Scope) -> bytes:
    """Return the audit id that the filters have given to a request."""
    audit_id: bytes = scope["audit_id"]
    return audit_id
