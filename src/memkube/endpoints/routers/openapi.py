"""Routes of the OpenAPI documents ``/openapi/v2`` and ``/openapi/v3``, and of Swagger UI at ``/docs``."""

from functools import cache
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.endpoints.aggregation.proxy import Proxy
from memkube.endpoints.requests.api_request import DOCS_FILES, ApiRequest
from memkube.endpoints.routers.api_route import ANY_METHOD, ApiRoute
from memkube.registry.declarations.catalog import Catalog

if TYPE_CHECKING:
    from memkube.endpoints.routers.openapi_answers import OpenApiAnswers


def openapi_router(catalog: Catalog, proxy: Proxy) -> APIRouter:
    """Return a router for the OpenAPI documents and the page with Swagger UI. It accepts any method.

    `proxy` fetches the documents of extension API servers.
    """
    router = APIRouter(route_class=ApiRoute)

    @cache
    def answers() -> "OpenApiAnswers":
        # This import would take a tenth of the server's start, so it is done for the first request.
        from memkube.endpoints.routers.openapi_answers import OpenApiAnswers  # noqa: PLC0415

        return OpenApiAnswers(catalog, proxy)

    @router.api_route("/openapi/v2", methods=ANY_METHOD)
    async def openapi_v2(request: ApiRequest) -> ASGIApp:
        return await answers().v2(request)

    @router.api_route("/openapi/v3", methods=ANY_METHOD)
    async def openapi_v3_index(request: ApiRequest) -> ASGIApp:
        return await answers().v3_index(request)

    @router.api_route("/openapi/v3/{group_version:path}", methods=ANY_METHOD)
    async def openapi_v3(request: ApiRequest) -> ASGIApp:
        return await answers().v3(request)

    @router.api_route("/docs", methods=ANY_METHOD)
    @router.api_route("/docs/", methods=ANY_METHOD)
    async def docs(request: ApiRequest) -> ASGIApp:
        return docs_page("/openapi/v2", "memkube")

    router.mount(DOCS_FILES, _DocsFiles())
    return router


def docs_page(openapi_url: str, title: str) -> HTMLResponse:
    """Return an HTML page in which Swagger UI shows the document at `openapi_url`."""
    return get_swagger_ui_html(
        openapi_url=openapi_url,
        title=title,
        swagger_js_url=f"{DOCS_FILES}/swagger-ui-bundle.js",
        swagger_css_url=f"{DOCS_FILES}/swagger-ui.css",
        swagger_favicon_url=f"{DOCS_FILES}/favicon.png",
    )


class _DocsFiles:
    """Serves the files of Swagger UI. Their folder is searched for with the first request."""

    def __init__(self) -> None:
        self._files: StaticFiles | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._files is None:
            self._files = StaticFiles(packages=[("fastapi_offline", "static")])
        await self._files(scope, receive, send)
