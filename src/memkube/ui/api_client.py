"""A client of the API of the server in whose process the page runs. Requests have the browser's credentials."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_OWN_HEADERS: Final = frozenset(
    {
        b"accept",
        b"accept-encoding",
        b"connection",
        b"content-length",
        b"content-type",
        b"cookie",
        b"if-modified-since",
        b"if-none-match",
        b"transfer-encoding",
        b"user-agent",
    }
)
"""Names of browser request headers that are not sent on to the API."""
_CERTIFICATES: Final = "memkube.tls.client_certificates"
_MOST_WAITING: Final = 64
"""Maximum number of buffered pieces of a streamed response. The API stops writing until one is read."""
_OK: Final = 300
_READ_ONLY: Final = "the page is read-only: it shows a saved snapshot"
_OF_SOCKETS: Final = frozenset({"websocket.http.response"})
"""Extensions of ASGI for WebSockets that are passed on to the API."""

Query: TypeAlias = Mapping[str, str | Sequence[str]]
"""Query parameters of a request. A parameter with several values is repeated."""


class Refused(Exception):
    """Raised if the API refuses a request. It has the status code and the message of the API's response."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Answer(NamedTuple):
    """Status code and complete body of an API response."""

    code: int
    body: bytes

    def check(self) -> None:
        """Raise Refused if the status code is an error."""
        if self.code >= _OK:
            raise Refused(self.code, _message_of(self.body, self.code))

    def document(self) -> Any:
        """Parse the body as JSON. Raises Refused if the status code is an error."""
        self.check()
        return orjson.loads(self.body)


class ApiClient:
    """Sends requests of one browser to the API.

    A request has the credentials, the client address, and the Host and Origin headers of the browser.
    """

    def __init__(self, api: ASGIApp, scope: Scope, token: str, agent: str, *, read_only: bool) -> None:
        self._api = api
        self._scope = scope
        self._read_only = read_only
        headers = [(name, value) for name, value in scope["headers"] if name not in _OWN_HEADERS]
        if token:
            headers = [(name, value) for name, value in headers if name != b"authorization"]
            headers.append((b"authorization", b"Bearer " + token.encode("latin-1", "replace")))
        self._headers = [*headers, (b"user-agent", agent.encode())]

    async def get(self, path: str, query: Query | None = None, accept: str = "application/json") -> Any:
        """Send a GET with the Accept header `accept`, and return the JSON data of the response.

        Raises Refused if the API answers with an error.
        """
        return (await self.send("GET", path, query, accept=accept)).document()

    async def post(self, path: str, document: Any) -> Any:
        """Send a POST with JSON data, and return the JSON data of the response.

        Raises Refused if the API answers with an error.
        """
        return (await self.send("POST", path, body=orjson.dumps(document))).document()

    async def send(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        *,
        body: bytes = b"",
        media_type: str = "application/json",
        accept: str = "application/json",
    ) -> Answer:
        """Send a request and return the complete response. Raises Refused for a write if the page is read-only.

        `media_type` is the Content-Type of `body`, and `accept` the Accept header.
        """
        if self._read_only and method != "GET":
            raise Refused(405, _READ_ONLY)
        code, pieces, sent = 500, bytearray(), False

        async def receive() -> Message:
            nonlocal sent
            if sent:
                await asyncio.Event().wait()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def collect(message: Message) -> None:
            nonlocal code
            if message["type"] == "http.response.start":
                code = message["status"]
            elif message["type"] == "http.response.body":
                pieces.extend(message.get("body", b""))

        await self._api(self._inner(method, path, query or {}, body, media_type, accept), receive, collect)
        return Answer(code, bytes(pieces))

    @asynccontextmanager
    async def stream(
        self, path: str, query: Query, accept: str = "application/json"
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """Send a GET and return the lines of the response as they arrive, until the ``with`` block ends.

        Raises Refused if the API answers with an error.
        """
        pieces: asyncio.Queue[bytes | int] = asyncio.Queue(_MOST_WAITING)
        gone = asyncio.Event()

        async def receive() -> Message:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def put(message: Message) -> None:
            if message["type"] == "http.response.start":
                await pieces.put(message["status"])
            elif message["type"] == "http.response.body" and message.get("body"):
                await pieces.put(message["body"])

        async def run() -> None:
            try:
                await self._api(self._inner("GET", path, query, b"", "", accept), receive, put)
            finally:
                gone.set()

        running = asyncio.create_task(run())
        try:
            code = await _next(pieces, gone)
            if not isinstance(code, int) or code >= _OK:
                raise Refused(code if isinstance(code, int) else 500, _message_of(await _rest(pieces, gone), 500))
            async with aclosing(_lines(pieces, gone)) as lines:
                yield lines
        finally:
            gone.set()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def connect(self, path: str, query: Query, receive: Receive, send: Send) -> None:
        """Pass a WebSocket of the browser on to the API. The subprotocols are those that the browser offers.

        Raises Refused if the page is read-only.
        """
        if self._read_only:
            raise Refused(405, _READ_ONLY)
        scope = self._inner("GET", path, query, b"", "", "*/*")
        del scope["method"]
        scope.update(type="websocket", subprotocols=self._scope["subprotocols"])
        scope["headers"].append((b"connection", b"Upgrade"))
        scope["extensions"] |= {name: one for name, one in self._scope["extensions"].items() if name in _OF_SOCKETS}
        await self._api(scope, receive, send)

    def _inner(self, method: str, path: str, query: Query, body: bytes, media_type: str, accept: str) -> Scope:
        """Return the ASGI scope of a request that the web page sends to the API with the browser's credentials."""
        headers = [*self._headers, (b"accept", accept.encode())]
        if body:
            headers += [(b"content-type", media_type.encode()), (b"content-length", b"%d" % len(body))]
        given = self._scope.get("extensions", {})
        extensions = {_CERTIFICATES: given[_CERTIFICATES]} if _CERTIFICATES in given else {}
        return {
            "type": "http",
            "asgi": self._scope["asgi"],
            "http_version": "1.1",
            "method": method,
            "scheme": self._scope["scheme"],
            "path": path,
            "raw_path": quote(path, safe="/:@!$&'()*+,;=~").encode(),
            "query_string": urlencode(query, doseq=True).encode(),
            "root_path": "",
            "headers": headers,
            "client": self._scope.get("client"),
            "server": self._scope.get("server"),
            "extensions": extensions,
        }


async def _next(pieces: asyncio.Queue[bytes | int], gone: asyncio.Event) -> bytes | int | None:
    """Return the next item of the queue `pieces`: the status code of a response, or a piece of its body.

    Waits for an item if the queue is empty. Returns None if it is empty and `gone` is set: the response has ended.
    """
    if not pieces.empty():
        return pieces.get_nowait()
    getting, ending = asyncio.ensure_future(pieces.get()), asyncio.ensure_future(gone.wait())
    try:
        await asyncio.wait((getting, ending), return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            return getting.result()
        return None if pieces.empty() else pieces.get_nowait()
    finally:
        getting.cancel()
        ending.cancel()


async def _rest(pieces: asyncio.Queue[bytes | int], gone: asyncio.Event) -> bytes:
    body = bytearray()
    while (piece := await _next(pieces, gone)) is not None:
        if isinstance(piece, bytes):
            body += piece
    return bytes(body)


async def _lines(pieces: asyncio.Queue[bytes | int], gone: asyncio.Event) -> AsyncGenerator[bytes, None]:
    rest = b""
    while (piece := await _next(pieces, gone)) is not None:
        assert isinstance(piece, bytes)
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line
    if rest:
        yield rest


def _message_of(body: bytes, code: int) -> str:
    """Return the message of a Status in a response body. If the body is no JSON, return its text."""
    try:
        status = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body.decode(errors="replace")[:500] or f"the server answered with status {code}"
    message = status.get("message") if isinstance(status, dict) else None
    return str(message or f"the server answered with status {code}")
