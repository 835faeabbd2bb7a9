"""The server for comparison: uvicorn with an application that returns the body of the last PUT.

``python -m benchmarks.bare [CERTIFICATE KEY]`` serves over TLS if it gets two PEM files.
"""

import asyncio
import socket
import sys

import uvicorn
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, HTTPScope, Scope


class LastPut:
    """ASGI application that stores the body of a PUT, and answers every request with the stored body.

    A GET with a query string is a watch: it receives the bodies posted to /event.
    """

    def __init__(self) -> None:
        self._body = b"{}"
        self._headers = self._made_headers()
        self._watches: list[asyncio.Queue[bytes]] = []

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Serve one request."""
        assert scope["type"] == "http"
        await self._answer(scope, receive, send)

    async def _answer(self, scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["method"] == "GET" and scope["query_string"]:
            await self._stream(receive, send)
            return
        if scope["method"] != "GET":
            body = await _body(receive)
            if scope["method"] == "PUT":
                self._body = body
                self._headers = self._made_headers()
            elif scope["path"] == "/event":
                for watch in self._watches:
                    watch.put_nowait(body)
        await send({"type": "http.response.start", "status": 200, "headers": self._headers, "trailers": False})
        await send({"type": "http.response.body", "body": self._body, "more_body": False})

    async def _stream(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers, "trailers": False})
        events: asyncio.Queue[bytes] = asyncio.Queue()
        sending = asyncio.create_task(_forward(events, send))
        self._watches.append(events)
        while (await receive())["type"] != "http.disconnect":
            pass
        self._watches.remove(events)
        sending.cancel()

    def _made_headers(self) -> list[tuple[bytes, bytes]]:
        return [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(self._body))]


async def _forward(events: asyncio.Queue[bytes], send: ASGISendCallable) -> None:
    while True:
        await send({"type": "http.response.body", "body": await events.get(), "more_body": True})


async def _body(receive: ASGIReceiveCallable) -> bytes:
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        parts.append(message["body"])
        if not message["more_body"]:
            return b"".join(parts)


def main() -> None:
    """Serve on a free port and print the address."""
    certificate, key = sys.argv[1:] or (None, None)
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    scheme = "https" if certificate else "http"
    print(f"bare server at {scheme}://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        LastPut(),
        loop="uvloop",
        http="httptools",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
