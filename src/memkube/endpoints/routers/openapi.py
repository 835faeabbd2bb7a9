"""``/openapi/v2``, ``/openapi/v3`` and the page that shows them."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Scope as AsgiScope

from memkube.endpoints.aggregation.openapi import AggregatedDocuments
from memkube.endpoints.aggregation.proxy import Proxy
from memkube.endpoints.openapi.documents import Documents, Published
from memkube.endpoints.requests.address import DOCS_FILES
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.negotiation import JSON, parse_accept
from memkube.endpoints.responses.responses import BytesResponse, text_response
from memkube.registry.declarations.catalog import Catalog

V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_V2_PROTOBUF_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
"""What clients ask for, although no media type may hold an ``@``: they would not understand it in an answer."""
_A_YEAR: Final = timedelta(days=365)


class OpenApi:
    """Answers the addresses of the documents, and shows them at ``/docs``."""

    def __init__(self, catalog: Catalog, proxy: Proxy) -> None:
        self._documents = Documents(catalog)
        self._all = AggregatedDocuments(catalog, self._documents)
        self._proxy = proxy

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request, whatever its method."""
        request = ApiRequest(scope, receive)
        response = await self._answer(request, request.path)
        await response(scope, receive, send)

    async def _answer(self, request: ApiRequest, path: str) -> ASGIApp:
        if path == "/docs":
            return docs_page("/openapi/v2", "memkube")
        name = path.removeprefix("/openapi/")
        if name == "v2":
            return await self._v2(request)
        if name == "v3":
            return _conditional(request, await self._all.v3_index(), JSON)
        if not name.startswith("v3/"):
            return text_response("404 page not found\n", 404)
        return await self._v3(request, name)

    async def _v2(self, request: ApiRequest) -> ASGIApp:
        for clause in parse_accept(request.accept or "*/*"):
            if clause.admits(JSON):
                return _varying(_conditional(request, await self._all.v2(), JSON))
            if clause.type in (V2_PROTOBUF, _V2_PROTOBUF_ASKED):
                return _varying(_conditional(request, await self._all.v2_protobuf(), V2_PROTOBUF))
        return _varying(_nothing(406))

    async def _v3(self, request: ApiRequest, name: str) -> ASGIApp:
        document = await self._documents.v3(name.removeprefix("v3/"))
        if document is None:
            owner = self._all.owner(name.removeprefix("v3/"))
            return _varying(_nothing(404)) if owner is None else partial(self._proxy, owner)
        if not any(clause.admits(JSON) for clause in parse_accept(request.accept or "*/*")):
            return _varying(_nothing(406))
        asked = request.parameter("hash")
        if asked and asked != document.digest:
            response = _nothing(301)
            response.raw_headers.append((b"location", f"/openapi/{name}?hash={document.digest}".encode()))
            return _varying(response)
        response = _conditional(request, document, JSON)
        if asked:
            expires = (datetime.now(UTC) + _A_YEAR).strftime("%a, %d %b %Y %H:%M:%S UTC")
            response.raw_headers += [(b"cache-control", b"public, immutable"), (b"expires", expires.encode())]
        return _varying(response)


def _nothing(code: int) -> BytesResponse:
    """An answer that says no more than its code and its headers, as the reference's OpenAPI handlers do."""
    response = BytesResponse(b"", code)
    response.raw_headers = [(b"content-length", b"0")]
    return response


def _varying(response: BytesResponse) -> BytesResponse:
    response.raw_headers.append((b"vary", b"Accept"))
    return response


def _conditional(request: ApiRequest, document: Published, media_type: str) -> BytesResponse:
    """A document, unless the client has it already (net/http's ServeContent)."""
    etag = f'"{document.digest}"'
    if request.header(b"if-none-match") == etag:
        response = BytesResponse(b"", 304, media_type)
        response.raw_headers = []
    else:
        response = BytesResponse(document.text, 200, media_type)
    response.raw_headers += [(b"etag", etag.encode()), (b"last-modified", document.modified.encode())]
    return response


def docs_page(openapi_url: str, title: str) -> HTMLResponse:
    """Swagger UI with a document."""
    from fastapi.openapi.docs import get_swagger_ui_html  # noqa: PLC0415  a quarter of the start, for one page

    return get_swagger_ui_html(
        openapi_url=openapi_url,
        title=title,
        swagger_js_url=f"{DOCS_FILES}/swagger-ui-bundle.js",
        swagger_css_url=f"{DOCS_FILES}/swagger-ui.css",
        swagger_favicon_url=f"{DOCS_FILES}/favicon.png",
    )


class DocsFiles:
    """Serves what the page needs; is made for its first request, which most servers never get."""

    def __init__(self) -> None:
        self._files: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if self._files is None:
            from starlette.staticfiles import StaticFiles  # noqa: PLC0415  see the class

            self._files = StaticFiles(packages=[("fastapi_offline", "static")])
        await self._files(scope, receive, send)
