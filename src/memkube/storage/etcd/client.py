"""An etcd client: gRPC calls over one connection at a time. If a member fails, the client uses the next one."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from functools import partial
from itertools import chain, repeat
from typing import Any, Final, TypeVar

from memkube.storage.errors import StorageClosed, StorageFailed, StorageUnavailable, StorageUnusable
from memkube.storage.etcd.call import UNAVAILABLE, CallFailed, GrpcCall
from memkube.storage.etcd.connection import GrpcConnection
from memkube.storage.etcd.messages import message
from memkube.storage.etcd.options import EtcdOptions

T = TypeVar("T")
CALL_SECONDS: Final = 10.0
"""Timeout of a call in seconds. etcd itself gives up after seven seconds."""
_CONNECT_SECONDS: Final = 10.0
_PAUSES: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
"""Seconds to wait after each failed attempt to connect. The last one is repeated."""
_CANCELLED, _DEADLINE_EXCEEDED = 1, 4
_UNANSWERED: Final = frozenset({UNAVAILABLE, _CANCELLED, _DEADLINE_EXCEEDED})
_HEADERS: Final = ((b"te", b"trailers"), (b"content-type", b"application/grpc"))
_NEEDS_LEADER: Final = (b"hasleader", b"true")
"""Metadata of a watch request, by which the member ends the watch if it loses contact with the leader."""
_WATCH: Final = b"/etcdserverpb.Watch/Watch"
_METHODS: Final = {
    "range": ("KV/Range", "RangeResponse"),
    "txn": ("KV/Txn", "TxnResponse"),
    "compact": ("KV/Compact", "CompactionResponse"),
    "grant": ("Lease/LeaseGrant", "LeaseGrantResponse"),
    "status": ("Maintenance/Status", "StatusResponse"),
    "authenticate": ("Auth/Authenticate", "AuthenticateResponse"),
}


class Compacted(Exception):
    """Raised if a call needs a revision that etcd has compacted."""


class WatchRequests:
    """Sends the requests of one watch stream. Without a connection, requests are queued."""

    def __init__(self) -> None:
        self._queued: list[bytes] = []
        self._call: GrpcCall | None = None

    def put(self, request: Any) -> None:
        """Send a request on the watch stream. Without a connection, queue the request."""
        written: bytes = request.SerializeToString()
        if self._call is None:
            self._queued.append(written)
        else:
            self._call.send(written)

    def send_to(self, call: GrpcCall) -> None:
        """Use `call` as the watch stream: send the queued requests, and from now on all further requests."""
        self._call = call
        for written in self._queued:
            call.send(written)


class EtcdClient:
    """A client of an etcd cluster. It must be used on the event loop on which it was opened."""

    def __init__(self, options: EtcdOptions) -> None:
        """Create a client without connecting. Raises OSError if a TLS file cannot be read."""
        self._options = options
        self._tls = _tls(options) if options.secure else None
        self._member = 0
        self._token = ""
        self._connection: GrpcConnection | None = None
        self._earlier: list[GrpcConnection] = []
        """Older connections whose calls are still in progress, such as a watch. New calls use a newer connection."""
        self._connecting: asyncio.Task[None] | None = None
        self._is_closed = False
        self._calls = {
            name: (f"/etcdserverpb.{path}".encode(), message(read)) for name, (path, read) in _METHODS.items()
        }

    @property
    def endpoint(self) -> str:
        """``HOST:PORT`` of the member that the client uses."""
        return self._options.endpoints[self._member % len(self._options.endpoints)]

    @property
    def members(self) -> int:
        """Number of configured members of the etcd cluster."""
        return len(self._options.endpoints)

    def check(self) -> None:
        """Try to connect to the members over TCP. Raises StorageUnusable if no member accepts the connection."""
        for address in self._options.endpoints:
            host, _, port = address.rpartition(":")
            with suppress(OSError):
                seconds = _CONNECT_SECONDS / self.members
                with closing(socket.create_connection((host, int(port)), seconds)):
                    return
        raise StorageUnusable(f"cannot connect to etcd at {', '.join(self._options.endpoints)}")

    async def open(self) -> Any:
        """Connect to a member, and return its status. Raises StorageUnusable if no member answers."""
        status = message("StatusRequest")()
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                while True:
                    try:
                        return await self.call("status", status)
                    except StorageUnavailable:
                        await asyncio.sleep(_PAUSES[1])
        except TimeoutError:
            raise StorageUnusable(f"cannot connect to etcd at {', '.join(self._options.endpoints)}") from None
        except StorageFailed as error:
            raise StorageUnusable(f"etcd refused the request: {error}") from None

    def close(self) -> None:
        """Cancel all calls and close the connections."""
        self._is_closed = True
        if self._connecting is not None:
            self._connecting.cancel()
        self._disconnect()

    async def call(self, name: str, request: Any, seconds: float = CALL_SECONDS) -> Any:
        """Make a call with a timeout in seconds, and return the response.

        Raises StorageUnavailable if etcd does not answer, so that a write may have been committed or not; StorageFailed
        if etcd returns an error; Compacted if the call needs a compacted revision; and StorageClosed if the client was
        closed.
        """
        endpoint = self.endpoint
        try:
            if self._options.user:
                return await self._authenticated(partial(self._call, name, request, seconds))
            return await self._call(name, request, seconds)
        except CallFailed as error:
            raise self._explained(error, endpoint) from None

    async def watch(self, requests: WatchRequests, take: Callable[[Any], None]) -> None:
        """Send the requests of a watch, and pass each response to `take` until the watch ends.

        Raises the errors of :meth:`call`, and exceptions of `take`.
        """
        endpoint = self.endpoint
        try:
            if self._options.user:
                # With an expired token, etcd rejects a call at once but leaves a watch without an answer. Therefore a
                # call renews the token before the watch begins.
                key = f"{self._options.prefix}/".encode()
                await self.call("range", message("RangeRequest")(key=key, count_only=True))
            await self._watched(requests, take)
        except CallFailed as error:
            raise self._explained(error, endpoint) from None
        raise StorageUnavailable("etcd ended the watch")

    async def _watched(self, requests: WatchRequests, take: Callable[[Any], None]) -> None:
        read = message("WatchResponse").FromString
        connection = await self._connected()
        call = connection.call(_WATCH, (*self._metadata(), _NEEDS_LEADER), lambda answer: take(read(answer)))
        requests.send_to(call)
        try:
            await call.ended
        finally:
            call.cancel()

    async def _connected(self) -> GrpcConnection:
        """Return a connection to the current member.

        Connects first if there is no connection. Raises CallFailed if that fails, and StorageClosed if the client was
        closed.
        """
        while True:
            if self._is_closed:
                raise StorageClosed
            connection = self._connection
            if connection is not None and connection.accepts_calls:
                return connection
            if self._connecting is None:
                self._connecting = asyncio.get_running_loop().create_task(self._connect())
            await asyncio.wait([self._connecting])
            if (self._connection is None or not self._connection.accepts_calls) and self.members > 1:
                raise CallFailed(UNAVAILABLE, f"no connection to {self.endpoint}")

    async def _connect(self) -> None:
        """Connect to the current member.

        If the cluster has only one member, retry until the member accepts the connection.
        """
        try:
            for pause in chain(_PAUSES, repeat(_PAUSES[-1])):
                try:
                    async with asyncio.timeout(_CONNECT_SECONDS):
                        connection = await GrpcConnection.open(self.endpoint, self._tls)
                except (OSError, TimeoutError):
                    if self.members > 1:
                        return
                    await asyncio.sleep(pause)
                else:
                    if self._connection is not None:
                        self._earlier = [one for one in (*self._earlier, self._connection) if one.is_open]
                    self._connection = connection
                    return
        finally:
            self._connecting = None

    def _disconnect(self) -> None:
        connections = self._earlier if self._connection is None else [*self._earlier, self._connection]
        self._connection, self._earlier = None, []
        for connection in connections:
            connection.close()

    async def _call(self, name: str, request: Any, seconds: float = CALL_SECONDS) -> Any:
        path, answer = self._calls[name]
        connection = self._connection
        if connection is None or not connection.accepts_calls:
            try:
                async with asyncio.timeout(seconds):
                    connection = await self._connected()
            except TimeoutError:
                raise _late(seconds) from None
        received: list[bytes] = []
        call = connection.call(path, self._metadata(), received.append)
        call.send(request.SerializeToString(), last=True)
        timer = asyncio.get_running_loop().call_later(seconds, lambda: call.end(_late(seconds)))
        try:
            await call.ended
        except BaseException:
            call.cancel()
            raise
        finally:
            timer.cancel()
        if not received:
            raise CallFailed(UNAVAILABLE, "etcd ended the call without a response message")
        return answer.FromString(received[0])

    async def _authenticated(self, work: Callable[[], Awaitable[T]]) -> T:
        """Call `work` with an authentication token. If etcd rejects the token, get a new one and call `work` again."""
        if not self._token:
            await self._authenticate()
        try:
            return await work()
        except CallFailed as error:
            if "invalid auth token" not in str(error):
                raise
        await self._authenticate()
        return await work()

    async def _authenticate(self) -> None:
        self._token = ""
        request = message("AuthenticateRequest")(name=self._options.user, password=self._options.password)
        self._token = (await self._call("authenticate", request)).token

    def _metadata(self) -> tuple[tuple[bytes, bytes], ...]:
        return (*_HEADERS, (b"token", self._token.encode())) if self._token else _HEADERS

    def _explained(self, error: CallFailed, endpoint: str) -> Exception:
        details = str(error)
        if self._is_closed:
            return StorageClosed()
        if error.code in _UNANSWERED:
            # The next call uses the next member of the cluster.
            if error.code != _CANCELLED and self.members > 1 and self.endpoint == endpoint:
                self._member += 1
                self._disconnect()
            return StorageUnavailable(f"etcd does not answer: {details}")
        if "required revision has been compacted" in details:
            return Compacted()
        return StorageFailed(details)


def _late(seconds: float) -> CallFailed:
    return CallFailed(_DEADLINE_EXCEEDED, f"no answer within {seconds:.0f} s")


def _tls(options: EtcdOptions) -> ssl.SSLContext:
    """Return the TLS context for connections. Raises OSError if a file cannot be read."""
    context = ssl.create_default_context(cafile=options.ca_file)
    context.set_alpn_protocols(["h2"])
    if options.cert_file is not None:
        context.load_cert_chain(options.cert_file, options.key_file)
    return context
