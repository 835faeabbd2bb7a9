"""Asking an etcd over HTTP/1.1, by the JSON gateway that it serves beside gRPC.

What is asked with nearly every read is asked here: gRPC costs five times the processor time, in threads that take turns
with the event loop. Everything else, and whatever a gateway does not answer, goes by gRPC: see EtcdClient.
"""

import asyncio
import math
import ssl
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final, cast

import httptools
import orjson

from memkube.storage.etcd_options import EtcdOptions

_SECONDS: Final = 2.0
"""How long the gateway may take, before etcd is asked by gRPC."""
_LEFT_ALONE_SECONDS: Final = 5.0
"""For so long it is not asked when it has not answered: it may be turned off, or not know who asks."""
_OK: Final = 200


class GatewayFailed(Exception):
    """The gateway has not answered the question."""

    def __init__(self, why: str, *, silent: bool = False) -> None:
        super().__init__(why)
        self.silent = silent
        """Whether nothing came, or there was no connection: the member may be gone."""


class EtcdGateway:
    """Asks one question at a time. Belongs to one event loop."""

    def __init__(self, options: EtcdOptions, key: bytes) -> None:
        """Asks about `key`, be it there or not. Raises OSError where a file cannot be read."""
        self._tls = _tls(options) if options.secure else None
        self._question = orjson.dumps({"key": b64encode(key).decode(), "count_only": True})
        self._connection: _Connection | None = None
        self._endpoint = ""
        self._left_alone_until: dict[str, float] = {}

    async def newest(self, endpoint: str, token: str) -> int:
        """The revision that etcd has come to, by a member. Raises GatewayFailed."""
        now = asyncio.get_running_loop().time()
        if now < self._left_alone_until.get(endpoint, -math.inf):
            raise GatewayFailed("it has not answered lately")
        try:
            async with asyncio.timeout(_SECONDS):
                connection = await self._connected(endpoint)
                answer = await connection.ask(_request(endpoint, token, self._question))
            return int(answer["header"]["revision"])
        except (OSError, TimeoutError, httptools.HttpParserError, KeyError, ValueError) as error:
            self.close()
            self._left_alone_until[endpoint] = now + _LEFT_ALONE_SECONDS
            raise GatewayFailed(str(error), silent=isinstance(error, OSError | TimeoutError)) from None
        except asyncio.CancelledError:
            self.close()
            raise

    def close(self) -> None:
        """Ends the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    async def _connected(self, endpoint: str) -> "_Connection":
        connection = self._connection
        if connection is not None and connection.is_open and self._endpoint == endpoint:
            return connection
        self.close()
        host, _, port = endpoint.rpartition(":")
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(_Connection, host, int(port), ssl=self._tls)
        self._connection, self._endpoint = connection, endpoint
        return connection


class _Connection(asyncio.Protocol):
    """Has one request at a time."""

    def __init__(self) -> None:
        self.is_open = True
        self._parser = httptools.HttpResponseParser(self)
        self._body: list[bytes] = []
        self._answered: asyncio.Future[Mapping[str, Any]] | None = None
        self._transport: asyncio.Transport | None = None

    def ask(self, request: bytes) -> "asyncio.Future[Mapping[str, Any]]":
        """The answer, when it has come; OSError where the connection ends, ValueError for one that is none."""
        assert self._transport is not None
        self._body.clear()
        self._answered = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answered

    def close(self) -> None:
        """Asks nothing more."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, error: Exception | None) -> None:
        """See asyncio.Protocol."""
        self.is_open = False
        self._settle(error if isinstance(error, OSError) else ConnectionResetError("etcd has hung up"))

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._settle(ValueError(str(error)))
            self.close()

    def on_body(self, body: bytes) -> None:
        """A piece of the answer: see httptools."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """All of it has come: see httptools."""
        body = b"".join(self._body)
        if self._parser.get_status_code() != _OK:
            self._settle(ValueError(body[:200].decode(errors="replace")))
            return
        self.is_open = self.is_open and self._parser.should_keep_alive()
        try:
            self._settle(orjson.loads(body))
        except ValueError as error:
            self._settle(error)

    def _settle(self, answer: Any) -> None:
        answered, self._answered = self._answered, None
        if answered is None or answered.done():
            return
        if isinstance(answer, Exception):
            answered.set_exception(answer)
        else:
            answered.set_result(answer)


def _request(endpoint: str, token: str, body: bytes) -> bytes:
    head = f"POST /v3/kv/range HTTP/1.1\r\nHost: {endpoint}\r\nContent-Type: application/json\r\n"
    if token:
        head += f"Authorization: {token}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def _tls(options: EtcdOptions) -> ssl.SSLContext:
    """Raises OSError."""
    context = ssl.create_default_context(cafile=options.ca_file)
    if options.cert_file is not None:
        context.load_cert_chain(options.cert_file, options.key_file)
    return context
