"""The place of the control API in the server."""

from starlette.routing import Mount, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.control import PREFIX
from memkube.control.refusals import RenderStatus
from memkube.control.server_parts import ServerParts


def add_control_routes(router: Router, parts: ServerParts, render: RenderStatus, version: str) -> None:
    """Serve the control API; `render` makes the Status of an error."""
    router.routes.append(Mount(PREFIX, _ControlApi(parts, render, version)))


class _ControlApi:
    """Is made for its first request: typed routes take a while, and many servers never need them."""

    def __init__(self, parts: ServerParts, render: RenderStatus, version: str) -> None:
        self._parts = parts
        self._render = render
        self._version = version
        self._application: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if self._application is None:
            from memkube.control.application import create_control_application  # noqa: PLC0415  see the class

            self._application = create_control_application(self._parts, self._render, self._version)
        await self._application(scope, receive, send)
