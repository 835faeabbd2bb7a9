"""``/openapi/v2`` and ``/openapi/v3``."""

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.endpoints.responses import text_response
from memkube.registry.catalog import Catalog


class OpenApi:
    """Answers the addresses of the OpenAPI documents, made from the catalog as it is."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        response: ASGIApp = text_response("404 page not found\n", 404)
        await response(scope, receive, send)
