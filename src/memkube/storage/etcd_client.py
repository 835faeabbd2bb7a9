"""Calls to etcd, by gRPC: one connection at a time, to the next member where one does not answer.

gRPC works in threads of its own and tells the event loop what has come, all of it at once. Its asyncio interface would
cost a fifth less, but belongs to one event loop in the whole process, and a process may have many servers.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeAlias, TypeVar

import grpc

from memkube.storage.errors import StorageClosed, StorageFailed, StorageUnavailable, StorageUnusable
from memkube.storage.etcd_messages import message
from memkube.storage.etcd_options import EtcdOptions

T = TypeVar("T")
WatchRequests: TypeAlias = "SimpleQueue[Any]"
CALL_SECONDS: Final = 10.0
"""How long etcd may take to answer; it gives up itself after seven, and the reference's requests have a minute."""
_CONNECT_SECONDS: Final = 10.0
_PAUSE: Final = 0.1
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
_NEEDS_LEADER: Final = ("hasleader", "true")
"""Has a member that is cut off from the others end a watch."""
_UNANSWERED: Final = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
)
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
        """Raises OSError where a file cannot be read."""
        self._options = options
        self._credentials = _credentials(options) if options.secure else None
        self._member = 0
        self._token = ""
        self._channel: grpc.Channel | None = None
        self._calls: dict[str, Any] = {}
        self._watch: Any = None
        self._news: _News | None = None

    @property
    def endpoint(self) -> str:
        """The member that is asked now."""
        return self._options.endpoints[self._member % len(self._options.endpoints)]

    @property
    def members(self) -> int:
        """How many there are that may be asked."""
        return len(self._options.endpoints)

    @property
    def token(self) -> str:
        """What tells the member who asks; empty as long as no call was made, and where it does not want to know."""
        return self._token

    def pass_by(self, endpoint: str) -> bool:
        """Asks another member than this one from now on; False where there is none. Calls under way fail."""
        if self.members == 1 or self._channel is None:
            return False
        if self.endpoint == endpoint:
            self._member += 1
            self._connect()
        return True

    def check(self) -> None:
        """Returns when a member takes connections. Raises StorageUnusable."""
        for address in self._options.endpoints:
            with self._channel_to(address) as channel, suppress(grpc.FutureTimeoutError):
                grpc.channel_ready_future(channel).result(_CONNECT_SECONDS / len(self._options.endpoints))
                return
        raise StorageUnusable(f"no etcd answers at {', '.join(self._options.endpoints)}")

    async def open(self) -> Any:
        """Connects; what a member says of itself. Raises StorageUnusable where none answers."""
        self._news = _News(asyncio.get_running_loop())
        status = message("StatusRequest")()
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                self._connect()
                while True:
                    try:
                        return await self.call("status", status)
                    except StorageUnavailable:
                        await asyncio.sleep(_PAUSE)
        except TimeoutError:
            raise StorageUnusable(f"no etcd answers at {', '.join(self._options.endpoints)}") from None
        except StorageFailed as error:
            raise StorageUnusable(f"etcd refuses: {error}") from None

    def close(self) -> None:
        """Ends all calls."""
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    async def call(self, name: str, request: Any) -> Any:
        """The answer. Raises StorageUnavailable, StorageFailed and Compacted.

        Where it raises StorageUnavailable, nobody knows whether a write was done.
        """
        endpoint = self.endpoint
        try:
            if self._options.user:
                return await self._authenticated(partial(self._call, name, request))
            return await self._call(name, request)
        except grpc.RpcError as error:
            raise self._explained(error, endpoint) from None

    async def watch(self, requests: WatchRequests, take: Callable[[Any], None]) -> None:
        """Hands what is answered to these requests to `take`, until that raises. Raises as `call` does."""
        endpoint = self.endpoint
        try:
            if self._options.user:
                # A call tells whether the token is still good, which a watch does only much later.
                key = f"{self._options.prefix}/".encode()
                await self.call("range", message("RangeRequest")(key=key, count_only=True))
            await self._watched(requests, take)
        except grpc.RpcError as error:
            raise self._explained(error, endpoint) from None
        raise StorageUnavailable("etcd has ended a watch")

    async def _watched(self, requests: WatchRequests, take: Callable[[Any], None]) -> None:
        news = self._news
        if self._channel is None or news is None:
            raise StorageClosed
        answers = self._watch(iter(requests.get, None), metadata=(*self._metadata(), _NEEDS_LEADER))
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def taken(answer: Any) -> None:
            if not ended.done():
                try:
                    take(answer)
                except Exception as error:
                    ended.set_exception(error)

        def end(error: Exception | None) -> None:
            if not ended.done():
                ended.set_result(None) if error is None else ended.set_exception(error)

        def pump() -> None:
            try:
                for answer in answers:
                    news.add(partial(taken, answer))
            except grpc.RpcError as error:
                news.add(partial(end, error))
            else:
                news.add(partial(end, None))

        Thread(target=pump, name="memkube-etcd-watch", daemon=True).start()
        try:
            await ended
        finally:
            answers.cancel()
            requests.put(None)

    def _connect(self) -> None:
        """Opens a channel to the member whose turn it is; calls that are under way fail."""
        if self._channel is not None:
            self._channel.close()
        self._channel = channel = self._channel_to(self.endpoint)
        self._calls = {}
        for name, (path, request, response) in _METHODS.items():
            write, read = message(request).SerializeToString, message(response).FromString
            self._calls[name] = channel.unary_unary(f"/etcdserverpb.{path}", write, read)
        write, read = message("WatchRequest").SerializeToString, message("WatchResponse").FromString
        self._watch = channel.stream_stream("/etcdserverpb.Watch/Watch", write, read)

    def _channel_to(self, address: str) -> grpc.Channel:
        if self._credentials is None:
            return grpc.insecure_channel(address, options=_CHANNEL)
        return grpc.secure_channel(address, self._credentials, options=_CHANNEL)

    async def _call(self, name: str, request: Any) -> Any:
        news = self._news
        if self._channel is None or news is None:
            raise StorageClosed
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        call = self._calls[name].future(request, CALL_SECONDS, self._metadata(), wait_for_ready=self.members == 1)
        call.add_done_callback(lambda done: news.add(partial(_answer, future, done)))
        return await future

    async def _authenticated(self, work: Callable[[], Awaitable[T]]) -> T:
        """Does something with a token, and with a new one where that has run out."""
        if not self._token:
            await self._authenticate()
        try:
            return await work()
        except grpc.RpcError as error:
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

    def _explained(self, error: Any, endpoint: str) -> Exception:
        code, details = error.code(), error.details() or ""
        if self._channel is None:
            return StorageClosed()
        if code in _UNANSWERED:
            # Another member may answer, and the next call is made to it.
            if code is not grpc.StatusCode.CANCELLED:
                self.pass_by(endpoint)
            return StorageUnavailable(f"etcd does not answer: {details}")
        if "required revision has been compacted" in details:
            return Compacted()
        return StorageFailed(details)


class _News:
    """What has come for an event loop, told to it in one go."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._news: deque[Callable[[], None]] = deque()
        self._told = False

    def add(self, piece: Callable[[], None]) -> None:
        """Has the loop call something; from any thread."""
        self._news.append(piece)
        if not self._told:
            self._told = True
            # A loop that is closed has nobody waiting.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        self._told = False
        while self._news:
            self._news.popleft()()


def _answer(future: asyncio.Future[Any], call: Any) -> None:
    if future.done():
        return
    try:
        future.set_result(call.result(0))
    except grpc.FutureCancelledError:
        future.set_exception(call)
    except grpc.RpcError as error:
        future.set_exception(error)


def _credentials(options: EtcdOptions) -> grpc.ChannelCredentials:
    """Raises OSError."""
    read: Mapping[str, bytes | None] = {
        name: None if path is None else path.read_bytes()
        for name, path in (("ca", options.ca_file), ("cert", options.cert_file), ("key", options.key_file))
    }
    return grpc.ssl_channel_credentials(read["ca"], read["key"], read["cert"])
