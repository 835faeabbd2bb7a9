"""Mounts the control API in the server's application."""

from collections.abc import Callable, Iterator
from typing import Any

from fastapi import FastAPI
from starlette.routing import Mount, Router
from starlette.types import Receive, Scope, Send

from memkube.control import PREFIX
from memkube.control.refusals import RenderStatus
from memkube.control.server_parts import ServerParts


def add_control_routes(router: Router, parts: ServerParts, render: RenderStatus, version: str) -> "ControlApi":
    """Mount the control API of a server in a router, and return the mounted API.

    `parts` are the components of the server on which the control API acts. `render` takes an ApiError and returns the
    Status with which it is answered. `version` is the version of memkube in the OpenAPI document.
    """
    api = ControlApi(parts, render, version)
    router.routes.append(Mount(PREFIX, api))
    return api


class ControlApi:
    """ASGI application of the control API, which creates the FastAPI application at the first request.

    This makes the server start faster: creating the typed routes takes a while, and most servers never need them.
    """

    def __init__(self, parts: ServerParts, render: RenderStatus, version: str) -> None:
        self._parts = parts
        self._render = render
        self._version = version
        self._application: FastAPI | None = None

    def endpoints(self) -> Iterator[Callable[..., Any]]:
        """Yield the endpoint functions of the FastAPI application; none if the control API has had no request."""
        if self._application is not None:
            yield from self._application.state.endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to the control API."""
        if self._application is None:
            from memkube.control.application import create_control_application  # noqa: PLC0415  see the class

            self._application = create_control_application(self._parts, self._render, self._version)
        await self._application(scope, receive, send)
