"""Calls to etcd, by gRPC: one connection at a time, to the next member where one does not answer."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeVar

import grpc
import grpc.aio

from memkube.storage.errors import StorageClosed, StorageFailed, StorageUnavailable, StorageUnusable
from memkube.storage.etcd_messages import message
from memkube.storage.etcd_options import EtcdOptions

T = TypeVar("T")
CALL_SECONDS: Final = 5.0
"""How long etcd may take to answer; the reference's requests have a minute, and etcd gives up after seven seconds."""
_CONNECT_SECONDS: Final = 10.0
_CHANNEL: Final = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 1000),
    # etcd takes a ping every five seconds at most, and a member that is stuck says nothing else.
    ("grpc.keepalive_time_ms", 6000),
    ("grpc.keepalive_timeout_ms", 3000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.enable_retries", 0),
)
_UNANSWERED: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})
_METHODS: Final = {
    "range": ("KV/Range", "RangeRequest", "RangeResponse"),
    "txn": ("KV/Txn", "TxnRequest", "TxnResponse"),
    "compact": ("KV/Compact", "CompactionRequest", "CompactionResponse"),
    "grant": ("Lease/LeaseGrant", "LeaseGrantRequest", "LeaseGrantResponse"),
    "status": ("Maintenance/Status", "StatusRequest", "StatusResponse"),
    "authenticate": ("Auth/Authenticate", "AuthenticateRequest", "AuthenticateResponse"),
}


class Compacted(Exception):
    """etcd has forgotten the revision that it was asked for."""


class EtcdClient:
    """Belongs to the event loop that it is opened on."""

    def __init__(self, options: EtcdOptions) -> None:
        self._options = options
        self._credentials = _credentials(options) if options.secure else None
        self._member = 0
        self._token = ""
        self._channel: grpc.aio.Channel | None = None
        self._calls: dict[str, Callable[..., Any]] = {}

    async def open(self) -> Any:
        """Connects; what a member says of itself. Raises StorageUnusable where none answers."""
        status = message("StatusRequest")()
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                while True:
                    self._connect()
                    try:
                        return await self.call("status", status)
                    except StorageUnavailable:
                        await asyncio.sleep(0.1)
        except TimeoutError:
            raise StorageUnusable(f"no etcd answers at {', '.join(self._options.endpoints)}") from None
        except StorageFailed as error:
            raise StorageUnusable(f"etcd refuses: {error}") from None

    def close(self) -> None:
        """Ends all calls."""
        channel, self._channel = self._channel, None
        if channel is not None:
            with suppress(RuntimeError):
                self._closing = asyncio.get_running_loop().create_task(channel.close())

    async def call(self, name: str, request: Any) -> Any:
        """The answer. Raises StorageUnavailable, StorageFailed and Compacted.

        Where it raises StorageUnavailable, nobody knows whether a write was done.
        """
        try:
            return await self._authenticated(lambda: self._call(name, request))
        except grpc.aio.AioRpcError as error:
            raise self._explained(error) from None

    @asynccontextmanager
    async def watch(self, request: Any) -> AsyncIterator[Any]:
        """A stream of what happens, to which more can be written. Raises as `call` does, where it is read as well."""
        channel = self._channel
        if channel is None:
            raise StorageClosed
        classes = message("WatchRequest"), message("WatchResponse")
        make = channel.stream_stream("/etcdserverpb.Watch/Watch", classes[0].SerializeToString, classes[1].FromString)
        try:
            await self._authenticated(self._nothing)
            stream = make(metadata=self._metadata(), wait_for_ready=False)
            try:
                await stream.write(request)
                yield stream
            finally:
                stream.cancel()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            if isinstance(error, asyncio.InvalidStateError):
                raise StorageUnavailable("etcd has ended a watch") from None
            raise self._explained(error) from None

    async def _nothing(self) -> None:
        """Asks nothing."""

    def _connect(self) -> None:
        """Opens a channel to the member whose turn it is."""
        if self._channel is not None:
            # What is under way on the other one comes to its end.
            self._closing = asyncio.get_running_loop().create_task(self._channel.close(CALL_SECONDS))
        address = self._options.endpoints[self._member % len(self._options.endpoints)]
        if self._credentials is None:
            channel = grpc.aio.insecure_channel(address, options=_CHANNEL)
        else:
            channel = grpc.aio.secure_channel(address, self._credentials, options=_CHANNEL)
        self._channel = channel
        self._calls = {}
        for name, (path, request, response) in _METHODS.items():
            write, read = message(request).SerializeToString, message(response).FromString
            self._calls[name] = channel.unary_unary(f"/etcdserverpb.{path}", write, read)

    async def _call(self, name: str, request: Any) -> Any:
        if self._channel is None:
            raise StorageClosed
        call = self._calls[name]
        return await call(request, timeout=CALL_SECONDS, metadata=self._metadata(), wait_for_ready=True)

    async def _authenticated(self, work: Callable[[], Awaitable[T]]) -> T:
        """Does something with a token, where a user is named, and with a new one where that has run out."""
        if not self._options.user:
            return await work()
        if not self._token:
            await self._authenticate()
        try:
            return await work()
        except grpc.aio.AioRpcError as error:
            if "invalid auth token" not in (error.details() or ""):
                raise
        await self._authenticate()
        return await work()

    async def _authenticate(self) -> None:
        self._token = ""
        request = message("AuthenticateRequest")(name=self._options.user, password=self._options.password)
        self._token = (await self._call("authenticate", request)).token

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("token", self._token),) if self._token else ()

    def _explained(self, error: grpc.aio.AioRpcError) -> Exception:
        code, details = error.code(), error.details() or ""
        if self._channel is None:
            return StorageClosed()
        if code in _UNANSWERED or (code is grpc.StatusCode.UNKNOWN and not details.startswith("etcdserver:")):
            # Another member may answer, and the next call is made to it.
            if len(self._options.endpoints) > 1:
                self._member += 1
                self._connect()
            return StorageUnavailable(details or f"rpc error: code = {code.name}")
        if "required revision has been compacted" in details:
            return Compacted()
        return StorageFailed(details)


def _credentials(options: EtcdOptions) -> grpc.ChannelCredentials:
    """Raises OSError."""
    read: Mapping[str, bytes | None] = {
        name: None if path is None else path.read_bytes()
        for name, path in (("ca", options.ca_file), ("cert", options.cert_file), ("key", options.key_file))
    }
    return grpc.ssl_channel_credentials(read["ca"], read["key"], read["cert"])
