"""HTTPS client for webhooks and extension API servers (apiserver ``pkg/util/webhook``: ClientManager)."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn
from urllib.parse import urljoin

from memkube.apimachinery.duration import go_duration
from memkube.apimachinery.shown_values import quoted
from memkube.hooks.configuration import Base, ClientConfig, HookFailed, ServiceResolver, base_of
from memkube.hooks.gzip_reader import GzipReader

if TYPE_CHECKING:
    import httpcore

MOST_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""Maximum number of bytes of a response after decompression. Kubernetes has no limit."""
MOST_CONFIGURATIONS: Final = 200
"""Maximum number of client configurations with idle connections."""
_IDLE_SECONDS: Final = 90
_IDLE_CONNECTIONS: Final = 25
_MOST_REDIRECTS: Final = 10
_MOST_ATTEMPTS: Final = 10
_MOST_HEAD_BYTES: Final = 100 * 1024
"""Maximum number of bytes of response headers, a limit of httpcore; Kubernetes allows 10 MiB."""
_READ_FAILED: Final = "unexpected error when reading response body. Please retry. Original error: "
_USER_AGENT: Final = "kube-apiserver-admission"


class Answer(NamedTuple):
    """Response of a webhook, with a decompressed body. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Call(NamedTuple):
    """One HTTP request to a webhook or extension API server. Following a redirect creates another _Call."""

    method: str
    target: Base
    query: str
    body: bytes | None
    headers: tuple[tuple[str, str], ...] = ()
    """Credentials, which are sent to the first target only."""

    @property
    def url(self) -> str:
        return self.target.url(self.query)


class HookClient:
    """Client for webhooks and extension API servers, with one connection pool per configuration.

    Use it on one event loop.
    """

    def __init__(self, services: ServiceResolver) -> None:
        self._services = services
        self._pools: dict[ClientConfig, httpcore.AsyncConnectionPool] = {}

    @property
    def services(self) -> ServiceResolver:
        """Resolver of Service references to network addresses."""
        return self._services

    async def post(
        self, config: ClientConfig, body: bytes, seconds: float, headers: tuple[tuple[str, str], ...] = ()
    ) -> Answer:
        """Post JSON to a webhook and return its response.

        The query parameter ``timeout`` tells the webhook the limit of `seconds`. Follows redirects, and retries if a
        response 429 or 5xx has a ``Retry-After`` header. Raises HookFailed if the request fails or no complete response
        arrives in time, and ConfigurationRefused if the configuration is invalid.
        """
        timeout = f"timeout={go_duration(timedelta(seconds=ceil(seconds)))}"
        call = _Call("POST", config.base, timeout, body, headers)
        self._pool(config)
        deadline = asyncio.get_running_loop().time() + seconds
        for attempt in range(_MOST_ATTEMPTS + 1):
            answer = await self._followed(config, call, deadline)
            wait = _retry_after(answer)
            if wait is None or attempt == _MOST_ATTEMPTS:
                break
            if asyncio.get_running_loop().time() + wait >= deadline:
                await asyncio.sleep(deadline - asyncio.get_running_loop().time())
                raise _url_error("Post", call, "context deadline exceeded")
            await asyncio.sleep(wait)
        return answer

    async def time_out(self, config: ClientConfig, seconds: float, *, waits: bool) -> NoReturn:
        """Raise HookFailed as for a webhook that does not respond within `seconds`, without sending a request.

        Waits for `seconds` first if `waits` is true. Raises ConfigurationRefused if the configured URL is invalid.
        """
        timeout = f"timeout={go_duration(timedelta(seconds=ceil(seconds)))}"
        call = _Call("POST", config.base, timeout, None)
        if waits:
            await asyncio.sleep(seconds)
        raise _url_error("Post", call, "context deadline exceeded")

    @asynccontextmanager
    async def stream(self, config: ClientConfig, request: httpcore.Request) -> AsyncIterator[httpcore.Response]:
        """Send a request to the server of `config`, and yield the response before its body is read.

        The caller makes the request's URL with :meth:`url`.

        Raises HookFailed if the request fails; the error message contains neither the method nor the URL. Reading the
        body later raises HookFailed too if the connection fails, and httpcore.RemoteProtocolError if the server closes
        it before the body is complete.
        """
        self._pool(config)
        response = await self._sent(config, request)
        try:
            yield response
        finally:
            await response.aclose()

    def url(self, config: ClientConfig, target: bytes) -> httpcore.URL:
        """Return the URL for a path and query on the configured server.

        Raises ConfigurationRefused if the configured URL is invalid, and HookFailed for an invalid host name.
        """
        import httpcore  # noqa: PLC0415  imported on the first call

        base = config.base
        return httpcore.URL(scheme=base.scheme.encode(), host=_host(base), port=base.port, target=target)

    async def close(self) -> None:
        """Close all connections to webhooks and extension API servers."""
        pools, self._pools = list(self._pools.values()), {}
        for pool in pools:
            await pool.aclose()

    async def _followed(self, config: ClientConfig, call: _Call, deadline: float) -> Answer:
        """Send the request `call` and follow redirects, as Go's ``http.Client``.

        `deadline` is a time of the event loop. Raises HookFailed if the request fails, if no complete response arrives
        before the deadline, if the server redirects to an invalid location, or if it redirects too often.
        """
        first = call.method.capitalize()
        for hop in range(_MOST_REDIRECTS + 1):
            try:
                async with asyncio.timeout_at(deadline):
                    response = await self._sent(config, self._request(call))
            except TimeoutError:
                raise _url_error(first, call, "context deadline exceeded") from None
            except HookFailed as error:
                raise _url_error(first, call, error.message) from None
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            location = headers.get("location", "") if response.status in (301, 302, 303, 307, 308) else ""
            if not location:
                return await _read(response, headers, deadline)
            await response.aclose()
            if hop == _MOST_REDIRECTS:
                raise HookFailed(f"{first} {quoted(location)}: stopped after {_MOST_REDIRECTS} redirects")
            call = _redirected(first, call, location, keeps_method=response.status in (307, 308))
        raise AssertionError("unreachable: the last redirect raises HookFailed")

    def _request(self, call: _Call) -> httpcore.Request:
        import httpcore  # noqa: PLC0415  imported on the first call

        base, query = call.target, f"?{call.query}" if call.query else ""
        url = httpcore.URL(
            scheme=base.scheme.encode(),
            host=_host(base),
            port=base.port,
            target=f"{base.path or '/'}{query}".encode("latin-1", "replace"),
        )
        headers = [
            ("Host", base.authority),
            ("User-Agent", _USER_AGENT),
            ("Accept", "application/json, */*"),
            ("Accept-Encoding", "gzip"),
            *call.headers,
        ]
        if call.body is not None:
            headers += [("Content-Type", "application/json"), ("Content-Length", str(len(call.body)))]
        return httpcore.Request(call.method, url, headers=headers, content=call.body or b"")

    async def _sent(self, config: ClientConfig, request: httpcore.Request) -> httpcore.Response:
        """Send a request to the server of `config` on a pooled connection. Raises HookFailed if that fails."""
        import httpcore  # noqa: PLC0415  imported on the first call

        if config.service is not None:
            request.extensions["sni_hostname"] = config.service.host
        try:
            pool = self._pool(config)
            await self._close_idle_pools()
            response = await pool.handle_async_request(request)
        except (httpcore.RemoteProtocolError, httpcore.LocalProtocolError) as error:
            raise HookFailed(_go_protocol_error(str(error))) from None
        except (httpcore.NetworkError, httpcore.UnsupportedProtocol) as error:
            raise HookFailed(str(error)) from None
        return response

    def _pool(self, config: ClientConfig) -> httpcore.AsyncConnectionPool:
        """Return the connection pool for a client configuration.

        Raises ConfigurationRefused if the certificates in the configuration cannot be used.
        """
        pool = self._pools.pop(config, None)
        if pool is None:
            import httpcore  # noqa: PLC0415  imported on the first call

            from memkube.hooks.certificates import context_of  # noqa: PLC0415  imported on the first call
            from memkube.hooks.dialing import Dialer  # noqa: PLC0415  imported on the first call

            pool = httpcore.AsyncConnectionPool(
                ssl_context=context_of(config),
                max_connections=None,
                max_keepalive_connections=_IDLE_CONNECTIONS,
                keepalive_expiry=_IDLE_SECONDS,
                network_backend=Dialer(config, self._services),
            )
        self._pools[config] = pool
        return pool

    async def _close_idle_pools(self) -> None:
        """Close idle connection pools, the least recently used first, until at most MOST_CONFIGURATIONS are left."""
        for config in list(self._pools)[: max(len(self._pools) - MOST_CONFIGURATIONS, 0)]:
            pool = self._pools[config]
            if all(connection.is_idle() or connection.is_closed() for connection in pool.connections):
                del self._pools[config]
                await pool.aclose()


def _host(base: Base) -> bytes:
    """Encode the host name in the URL `base` for DNS (IDNA). Raises HookFailed if the name is invalid."""
    try:
        return base.host.encode("ascii" if base.host.isascii() else "idna")
    except UnicodeError:
        raise HookFailed(f"dial tcp: lookup {base.host}: no such host") from None


def _redirected(first: str, call: _Call, location: str, *, keeps_method: bool) -> _Call:
    """Return the request that follows a redirect of the request `call` to `location`.

    Raises HookFailed if the location is invalid. `first` is the first request's method, as in Go's error messages. The
    returned request is a GET without a body unless `keeps_method` is true.
    """
    from memkube.apimachinery.go_url import parse_url  # noqa: PLC0415  its patterns take 10 ms to compile

    try:
        parse_url(location)
        parsed = parse_url(urljoin(call.url, location))
    except ValueError as error:
        raise _url_error(first, call, f"failed to parse Location header {quoted(location)}: {error}") from None
    target = base_of(parsed.scheme, parsed.host, parsed.path)
    if parsed.scheme not in ("http", "https"):
        elsewhere = call._replace(target=target, query=parsed.query)
        raise _url_error(first, elsewhere, f"unsupported protocol scheme {quoted(parsed.scheme)}")
    method = call.method if keeps_method else "GET"
    return _Call(method, target, parsed.query, call.body if keeps_method else None)


def _url_error(method: str, call: _Call, why: str) -> HookFailed:
    """Return the HookFailed for the request `call`, with the reason `why` in the format of Go's ``url.Error``."""
    return HookFailed(f"{method} {quoted(call.url)}: {why}")


async def _read(response: httpcore.Response, headers: Mapping[str, str], deadline: float) -> Answer:
    """Read a response body. Raises HookFailed if it is too long or incomplete, or does not arrive by `deadline`."""
    import httpcore  # noqa: PLC0415  imported on the first call

    unpack = GzipReader() if headers.get("content-encoding", "").lower() == "gzip" else None
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout_at(deadline):
            async for packed in response.aiter_stream():
                for part in unpack.parts(packed) if unpack else (packed,):
                    parts.append(part)
                    size += len(part)
                    if size > MOST_ANSWER_BYTES:
                        raise HookFailed(f"response body is longer than {MOST_ANSWER_BYTES} bytes")
                await asyncio.sleep(0)
        if unpack:
            unpack.end()
    except TimeoutError:
        raise HookFailed(f"{_READ_FAILED}context deadline exceeded") from None
    except httpcore.RemoteProtocolError as error:
        why = "invalid byte in chunk length" if "chunk header" in str(error) else "unexpected EOF"
        raise HookFailed(f"{_READ_FAILED}{why}") from None
    except HookFailed as error:
        raise HookFailed(f"{_READ_FAILED}{error.message}") from None
    except (httpcore.NetworkError, zlib.error) as error:
        raise HookFailed(f"{_READ_FAILED}{error}") from None
    finally:
        await response.aclose()
    return Answer(response.status, headers, b"".join(parts))


def _retry_after(answer: Answer) -> int | None:
    """Return the seconds in the ``Retry-After`` header of a 429 or 5xx answer, or None (client-go's ``checkWait``)."""
    if answer.status != 429 and answer.status < 500:
        return None
    try:
        return int(answer.headers["retry-after"])
    except (KeyError, ValueError):
        return None


def _go_protocol_error(said: str) -> str:
    """Convert `said`, the message of a protocol error of h11, to the error message of Go's ``net/http``."""
    if "disconnected" in said:
        return "EOF"
    if "too long" in said:
        said = f"net/http: server response headers exceeded {_MOST_HEAD_BYTES} bytes; aborted"
    return f"net/http: HTTP/1.x transport connection broken: {said}"
