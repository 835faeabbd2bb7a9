"""An extension API server that returns the requests that it receives."""

import asyncio
import json

from starlette.types import Receive, Scope, Send

from tests.endpoints.aggregation.extension import GROUP

_RESOURCES = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": f"{GROUP}/v1",
    "resources": [
        {"name": "things", "singularName": "thing", "namespaced": True, "kind": "Thing", "verbs": ["get", "list"]},
        {"name": "things/status", "singularName": "", "namespaced": True, "kind": "Thing", "verbs": ["get"]},
    ],
}


class Echo:
    """An ASGI application that answers with the request as JSON, or as the end of the path says."""

    def __init__(self) -> None:
        self.left = asyncio.Event()
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        if scope["type"] == "websocket":
            await self._repeat(receive, send)
        elif scope["path"] == f"/apis/{GROUP}/v1":
            await self._answer(send, 200, _RESOURCES)
        elif not scope["path"].startswith(f"/apis/{GROUP}/v1/"):
            await self._answer(send, 404, {})
        elif scope["path"].endswith("/silent"):
            while (await receive())["type"] != "http.disconnect":
                pass
        elif scope["path"].endswith("/cut"):
            await send({"type": "http.response.start", "status": 500, "headers": [(b"content-length", b"9")]})
            await send({"type": "http.response.body", "body": b"first"})
        elif scope["path"].endswith("/endless"):
            await self._stream(receive, send)
        else:
            await self._tell(scope, receive, send)

    async def _tell(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = 0
        while True:
            message = await receive()
            size += len(message.get("body", b""))
            if not message.get("more_body"):
                break
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        headers = [[name.decode(), value.decode()] for name, value in scope["headers"]]
        told = {"method": scope["method"], "target": target.decode(), "headers": headers, "size": size}
        code = {"teapot": 418, "redirect": 302}.get(scope["path"].rpartition("/")[2], 200)
        extra = [(b"location", b"/elsewhere"), (b"access-control-allow-origin", b"*")] if code == 302 else []
        await self._answer(send, code, told, extra)

    async def _stream(self, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": b"first\n", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        self.left.set()

    async def _repeat(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"][::-1]})

    async def _answer(
        self, send: Send, code: int, document: object, extra: list[tuple[bytes, bytes]] | None = None
    ) -> None:
        headers = [(b"content-type", b"application/json"), *(extra or [])]
        await send({"type": "http.response.start", "status": code, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(document).encode()})
