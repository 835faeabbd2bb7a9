"""FastAPI routes whose endpoints are plain functions: ``async def endpoint(request: ApiRequest) -> ASGIApp``."""

import re
from collections.abc import Callable
from typing import Any, Final

from fastapi.routing import APIRoute
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from memkube.apimachinery.errors import ApiError
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.responses.responses import NOT_FOUND_TEXT, generic_refusal, refused, text_response

ANY_METHOD: Final[list[str]] = []
"""Value of `methods` for a route that accepts all methods, even those that HTTP does not define."""


class ApiRoute(APIRoute):
    """A route that calls its endpoint without dependency injection, and answers an ApiError with a Status.

    A WebSocket handshake is routed like a GET.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        # FastAPI's constructor is bypassed: it would search each endpoint for parameters to inject and for models to
        # validate and document, which these endpoints do not have.
        methods = options["methods"]
        Route.__init__(self, path, endpoint, methods=methods, name=options["name"], include_in_schema=False)
        # Starlette has added HEAD to the methods of a route for GET. Remove HEAD, which kube-apiserver does not answer.
        self.methods = {"GET"} if methods is None else set(methods)

    @override
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] == "websocket":
            scope = {**scope, "type": "http", "method": "GET"}
        return super().matches(scope)

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = ApiRequest(scope, receive)
        try:
            if self.methods and request.method not in self.methods:
                raise generic_refusal(405)
            response = await self.endpoint(request)
        except ApiError as error:
            response = refused(request, error)
        await response(scope, receive, send)


class TolerantRoute(ApiRoute):
    """A route that also accepts paths with empty segments or slashes at the end, as kube-apiserver does."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        self.path_regex = re.compile(self.path_regex.pattern.replace("[^/]+", "[^/]*"))

    @override
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return super().matches({**scope, "path": scope["path"].rstrip("/")})


class ResourceRoute(TolerantRoute):
    """A route for requests for resources, whose endpoint takes a ResourceRequest that the ResourceApplication makes."""

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Only requests for paths without a group, such as /apis//v1/pods, reach this method: ApiServer itself serves
        # all other paths of resources.
        await text_response(NOT_FOUND_TEXT, 404)(scope, receive, send)
