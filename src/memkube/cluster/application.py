"""The server as an ASGI application, without a socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Unpack

from starlette.types import ASGIApp

from memkube.cluster.options import Choices, Options
from memkube.errors import ServerError
from memkube.server.app import create_app


@asynccontextmanager
async def asgi_application(**choices: Unpack[Choices]) -> AsyncIterator[ASGIApp]:
    """Run a server until the ``async with`` block ends, as an ASGI application in the running asyncio event loop.

    ::

        async with memkube.asgi_application() as app:
            client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://memkube")

    httpx's transport returns a response only when it is complete, so a watch needs ``timeoutSeconds``. `choices` are
    the options of `Memkube`. Raises UsageError for an unknown option or an invalid value, SnapshotError for a snapshot
    file that cannot be read, and ServerError if the server cannot start, for example if its storage cannot be opened.
    """
    settings = Options.of(**choices).settings()
    try:
        app = create_app(settings)
    except ValueError as error:
        raise ServerError(str(error)) from None
    async with app.router.lifespan_context(app):
        try:
            yield app
        finally:
            app.checks.shut_down()
            app.state.parts.registry.end_requests()
