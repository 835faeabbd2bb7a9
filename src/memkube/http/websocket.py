"""uvicorn's WebSocket protocol, changed to be as tolerant as kube-apiserver and to log no false errors."""

import logging
from typing import Any

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.datastructures import Headers
from websockets.server import ServerProtocol

from memkube.endpoints.transport import CLIENT_CERTIFICATES
from memkube.faults.active import ConnectionDropped


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Accepts subprotocols with any name, and lets the application refuse a handshake with an ordinary response."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._application = self.app
        self.app = self._serve
        self.conn = _AnySubprotocol(
            extensions=self.conn.available_extensions,
            max_size=self.config.ws_max_size,
            logger=logging.getLogger("uvicorn.error"),
        )

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["extensions"][CLIENT_CERTIFICATES] = self.transport.get_extra_info(CLIENT_CERTIFICATES, ())
        try:
            await self._application(scope, receive, send)
        except ConnectionDropped:
            self.handshake_complete = True
            self.transport.abort()

    async def send(self, message: Any) -> None:
        """Send the contents of an ASGI message of the application to the client: a handshake response or data."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True


class _AnySubprotocol(ServerProtocol):
    """Leaves the choice of a subprotocol to the application.

    The websockets library would refuse ``SPDY/3.1+portforward.k8s.io``, which is not a valid token of HTTP.
    """

    def process_subprotocol(self, headers: Headers) -> None:
        """Choose no subprotocol here, because the application chooses one."""
