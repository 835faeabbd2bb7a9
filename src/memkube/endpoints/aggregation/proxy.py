"""The proxy for extension API servers (kube-aggregator's ``apiserver/handler_proxy.go``)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from memkube.endpoints.aggregation.heads import Headers, answer_head, asks_for_upgrade, request_head, target
from memkube.endpoints.requests.api_request import ApiRequest, audit_id_of, is_lasting
from memkube.endpoints.responses.responses import AllottedTimePassed, BytesResponse, refused, text_response
from memkube.endpoints.transport import UPGRADE
from memkube.hooks.client import HookClient
from memkube.hooks.configuration import ClientConfig, HookFailed
from memkube.registry.declarations.delegation import Delegate

if TYPE_CHECKING:
    import httpcore

_DISCOVERY_SECONDS: Final = 5.0
_DISCOVERY_SEGMENTS: Final = 3
_REDIRECTED: Final = "the backend attempted to redirect this request, which is not permitted"
_UNAVAILABLE: Final = "service unavailable\n"
_PIECE: Final = 64 * 1024


class Proxy:
    """Proxies requests to the extension API server of a group and version."""

    def __init__(self, client: HookClient, seconds: float) -> None:
        """Create the proxy. `seconds` is the timeout of requests, except for watches, streams and upgrades."""
        self._client = client
        self._seconds = seconds

    async def __call__(self, delegate: Delegate, scope: Scope, receive: Receive, send: Send) -> None:
        """Proxy a request to the extension API server `delegate`, and its response to the client.

        If the extension API server is unreachable, answer 503.
        """
        service = delegate.config.service
        assert service is not None
        try:
            if not delegate.available:
                raise HookFailed(_UNAVAILABLE)
            host, port = await self._client.services.resolve(service.namespace, service.name, service.port)
        except HookFailed:
            await text_response(_UNAVAILABLE, 503)(scope, receive, send)
            return
        authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        request = ApiRequest(scope, receive)

        def head(*, upgrades: bool) -> Headers:
            return request_head(request, authority, audit_id_of(scope), upgrades=upgrades)

        proxied = ProxiedRequest(self._client, Upstream(delegate.config, target(request), head), scope, receive, send)
        if asks_for_upgrade(scope) and UPGRADE in scope.get("extensions", {}):
            await proxied.relay_upgrade()
        else:
            is_discovery = len(request.path.strip("/").split("/")) == _DISCOVERY_SEGMENTS
            seconds = None if is_lasting(request) else self._seconds
            await proxied.forward(_DISCOVERY_SECONDS if is_discovery else seconds, is_discovery=is_discovery)


class Head(Protocol):
    """Function that returns the headers of the request to the upstream server."""

    def __call__(self, *, upgrades: bool) -> Headers:
        """Return the headers for the upstream server. `upgrades` is True if the request upgrades the connection."""


class Upstream(NamedTuple):
    """The server to which a client's request is proxied, and the request to send to it."""

    config: ClientConfig
    target: bytes
    """Path and query of the request to the upstream server."""
    head: Head
    answered_with: Callable[[Headers], Headers] = answer_head
    """Function that converts the headers of the upstream server's response to those of the response to the client."""
    unreachable: Callable[[str], ASGIApp] = partial(text_response, code=503)
    """Function that returns the response to the client if the upstream server is unreachable; its argument is the
    reason."""


class _ClientLeft(Exception):
    """Raised if the client disconnects before it has sent its whole request."""


class ProxiedRequest:
    """One request that is proxied to an upstream server, and its response."""

    def __init__(self, client: HookClient, upstream: Upstream, scope: Scope, receive: Receive, send: Send) -> None:
        self._client = client
        self._upstream = upstream
        self._request = ApiRequest(scope, receive)
        self._scope = scope
        self._receive = receive
        self._send = send
        self._sent = asyncio.Event()
        self._started = False

    async def forward(self, seconds: float | None, *, is_discovery: bool = False) -> None:
        """Send the request to the upstream server, and stream its response until one side disconnects.

        If the response is not complete after `seconds`, the client gets 504; for a discovery request, 503.
        """
        import httpcore  # noqa: PLC0415  imported with the first request that is passed on

        task = asyncio.current_task()
        assert task is not None
        leaving = asyncio.ensure_future(self._departure())
        leaving.add_done_callback(lambda _: leaving.cancelled() or task.cancel())
        try:
            async with (
                asyncio.timeout(seconds),
                self._client.stream(self._upstream.config, self._made(self._body(), upgrades=False)) as response,
            ):
                await self._pass_on(response)
        except HookFailed as error:
            await self._fail(f"error trying to reach service: {error.message}")
        except TimeoutError:
            if is_discovery or self._started:
                await self._fail("error trying to reach service: context deadline exceeded")
            else:
                await refused(self._request, AllottedTimePassed())(self._scope, self._receive, self._send)
        except httpcore.RemoteProtocolError:
            await self._fail("error trying to reach service: unexpected EOF")
        except _ClientLeft:
            pass
        except asyncio.CancelledError:
            if not leaving.done() or leaving.cancelled():
                raise
        finally:
            leaving.cancel()

    async def relay_upgrade(self) -> None:
        """Upgrade the connections to the client and the upstream server, and relay bytes until one disconnects."""
        import httpcore  # noqa: PLC0415  imported with the first request that is passed on

        try:
            async with self._client.stream(self._upstream.config, self._made(b"", upgrades=True)) as response:
                if response.status == 101:
                    await self._send({"type": "http.upgrade.accept", "headers": _lowered(response.headers)})
                    await self._relayed(response.extensions["network_stream"])
                elif response.status < 400:
                    await self._fail(f"invalid upgrade response: status code {response.status}")
                else:
                    await self._pass_on(response)
        except HookFailed as error:
            await self._fail(f"error dialing backend: {error.message}")
        except httpcore.RemoteProtocolError:
            await self._fail("error dialing backend: unexpected EOF")

    def _made(self, content: Any, *, upgrades: bool) -> "httpcore.Request":
        import httpcore  # noqa: PLC0415  imported with the first request that is passed on

        headers = self._upstream.head(upgrades=upgrades)
        url = self._client.url(self._upstream.config, self._upstream.target)
        has_body = any(name in (b"content-length", b"transfer-encoding") for name, _ in headers)
        if not has_body:
            self._sent.set()
        return httpcore.Request(self._request.method, url, headers=headers, content=content if has_body else b"")

    async def _body(self) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await self._receive()
            if message["type"] != "http.request":
                raise _ClientLeft
            yield message.get("body", b"")
            more = message.get("more_body", False)
        self._sent.set()

    async def _departure(self) -> None:
        """Wait until the request's body has been read, and then until the client disconnects."""
        await self._sent.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _pass_on(self, response: "httpcore.Response") -> None:
        """Stream the upstream server's response to the client.

        Raises HookFailed or RemoteProtocolError if the upstream server fails.
        """
        headers = self._upstream.answered_with(list(response.headers))
        if 300 <= response.status <= 399 and any(name == b"location" for name, _ in headers):
            await _plain(_REDIRECTED, 502)(self._scope, self._receive, self._send)
            return
        self._started = True
        await self._send({"type": "http.response.start", "status": response.status, "headers": headers})
        async for piece in response.aiter_stream():
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        await self._send({"type": "http.response.body", "body": b""})

    async def _relayed(self, other: Any) -> None:
        """Relay bytes in both directions between the client and `other`, the connection to the upstream server."""

        async def to_other() -> None:
            while (message := await self._receive())["type"] == "http.upgrade.receive":
                await other.write(message["bytes"])

        async def to_client() -> None:
            while data := await other.read(_PIECE):
                await self._send({"type": "http.upgrade.send", "bytes": data})

        tasks = [asyncio.ensure_future(way()) for way in (to_other, to_client)]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for task in tasks:
                # Errors of these tasks are ignored: they say only that the client or the upstream server has
                # disconnected.
                with suppress(Exception, asyncio.CancelledError):
                    await task

    async def _fail(self, why: str) -> None:
        """Answer 503 with the text `why`. If the response has already begun, close the connection instead."""
        if self._started:
            raise ConnectionResetError(why)
        await self._upstream.unreachable(f"{why}\n")(self._scope, self._receive, self._send)


def _plain(text: str, code: int) -> BytesResponse:
    return BytesResponse(text.encode(), code, "text/plain; charset=utf-8")


def _lowered(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in headers]
