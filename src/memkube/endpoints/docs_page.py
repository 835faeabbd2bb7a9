"""The page at ``/docs``, whose scripts come with a package, so that it needs no network."""

from typing import Final

from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

FILES: Final = "/docs/files"


def docs_page(openapi_url: str, title: str) -> HTMLResponse:
    """Swagger UI with a document."""
    return get_swagger_ui_html(
        openapi_url=openapi_url,
        title=title,
        swagger_js_url=f"{FILES}/swagger-ui-bundle.js",
        swagger_css_url=f"{FILES}/swagger-ui.css",
        swagger_favicon_url=f"{FILES}/favicon.png",
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
