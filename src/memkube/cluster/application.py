"""The server without a socket, for transports that call ASGI applications."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Unpack

from starlette.types import ASGIApp

from memkube.cluster.options import Choices, Options
from memkube.server.app import create_app


@asynccontextmanager
async def asgi_application(**choices: Unpack[Choices]) -> AsyncIterator[ASGIApp]:
    """The bare ASGI application, alive for the block, in the event loop of whoever enters it (asyncio's).

    ::

        async with memkube.asgi_application() as app:
            client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://memkube")

    That transport answers when a response has ended: a watch needs ``timeoutSeconds``. Raises ValueError for a choice
    that there is not.
    """
    app = create_app(Options(**choices).settings())
    async with app.router.lifespan_context(app):
        try:
            yield app
        finally:
            app.checks.shut_down()
            app.state.registry.close()
