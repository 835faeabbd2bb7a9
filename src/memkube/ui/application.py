"""The web page as a FastAPI application: its routers and its error pages."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from memkube.ui import (
    changes,
    clock,
    faults,
    findings,
    home,
    kinds,
    lists,
    live,
    login,
    logs,
    nodes,
    objects,
    requests,
    scenarios,
    snapshots,
    static,
    terminal,
    workloads,
)
from memkube.ui.api_client import Refused
from memkube.ui.page import Ui, create_environment, show_refusal
from memkube.ui.security import OwnPagesOnly

_ROUTERS = (
    home.router,
    static.router,
    login.router,
    kinds.router,
    live.router,
    clock.router,
    changes.router,
    nodes.router,
    workloads.router,
    logs.router,
    terminal.router,
    requests.router,
    faults.router,
    snapshots.router,
    scenarios.router,
    findings.router,
    objects.router,
    lists.router,
)
"""Routers of all views. Those with paths of API objects come last, because their patterns match other paths too."""


def create_page(
    api: ASGIApp, version: str, *, read_only: bool, hunt_report: Mapping[str, Any] | None = None
) -> FastAPI:
    """Return the ASGI application that serves the web page of one server, or of a report about a search for bugs.

    The arguments are those of WebPage. All servers of the process share the endpoint functions, which find the data of
    their server in the state of the application (``request.app.state``).
    """
    application = FastAPI(title="memkube", openapi_url=None, docs_url=None, redoc_url=None)
    application.state.ui = Ui(api, version, read_only, create_environment(), hunt_report)
    for router in _ROUTERS:
        application.include_router(router)
    application.add_middleware(OwnPagesOnly)
    application.add_exception_handler(Refused, show_refusal)
    application.add_exception_handler(HTTPException, _show_http_error)
    return application


async def _show_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return await show_refusal(request, Refused(error.status_code, str(error.detail)))
