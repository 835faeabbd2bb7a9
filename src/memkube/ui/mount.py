"""Serves the web page next to the API.

Requests for the page are not authenticated by the API, because a browser sends no bearer token by itself.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.ui import PREFIX

if TYPE_CHECKING:
    from fastapi import FastAPI

_ROOTS: Final = frozenset({"/", "/index.html"})
_HTML: Final = b"text/html"


class WebPage:
    """ASGI application that answers requests for the web page, and passes all others on to the API.

    The FastAPI application of the page is created at the first request for the page, because most servers need none.
    """

    def __init__(
        self, api: ASGIApp, version: str, *, read_only: bool = False, hunt_report: Mapping[str, Any] | None = None
    ) -> None:
        """Create the web page for the API server's ASGI application `api`, to which the page sends its requests.

        `version` is that of memkube. With `read_only`, the page sends no writes. If there is a `hunt_report`, the page
        shows it instead of the cluster.
        """
        self._api = api
        self._version = version
        self._read_only = read_only
        self._hunt_report = hunt_report
        self._application: FastAPI | None = None

    def takes(self, scope: Scope) -> bool:
        """Return True if this application answers the request: a path of the web page, or ``/`` from a browser."""
        path: str = scope["path"]
        if path.startswith(PREFIX) and path[len(PREFIX) :][:1] in ("", "/"):
            return True
        return path in _ROOTS and scope["type"] == "http" and _prefers_html(scope)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for the web page. The first one creates the page's FastAPI application."""
        if self._application is None:
            from memkube.ui.application import create_page  # noqa: PLC0415  see the class

            self._application = create_page(
                self._api, self._version, read_only=self._read_only, hunt_report=self._hunt_report
            )
        await self._application(scope, receive, send)

    def close(self) -> None:
        """Break reference cycles, so that the server is freed without waiting for the garbage collector."""
        if self._application is not None:
            del self._application.state.ui
        self._application = None


def _prefers_html(scope: Scope) -> bool:
    """Return True if the Accept header starts with HTML, as a browser's does."""
    for name, value in scope["headers"]:
        if name == b"accept":
            accepted: bytes = value
            return accepted.lstrip().startswith(_HTML)
    return False
