"""Waiting for this server's copy of etcd to reach a revision, for consistent reads."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from typing import Any, Final

from memkube.storage.errors import StorageClosed, StorageUnavailable
from memkube.storage.etcd.client import CALL_SECONDS, EtcdClient
from memkube.storage.etcd.messages import message

_PROGRESS_SECONDS: Final = 0.1
"""Seconds between two progress requests, as in apiserver.

Requests are repeated because etcd ignores them while the watch lags behind.
"""

_LATE: Final = "the watch on etcd does not deliver a change that was written"
_MEMBER_SECONDS: Final = 2.0
"""Seconds to wait for a member's response before the request is sent to the next member."""


class WatchProgress:
    """Lets readers wait until this server's copy of etcd has reached a revision. It must be used on one event loop."""

    def __init__(self, client: EtcdClient, key: bytes, request_progress: Callable[[], None]) -> None:
        """Create the progress tracker of a watch; this must be done before the watch starts.

        `client` sends range requests for `key`, a key that need not exist: the responses contain etcd's current
        revision. The function `request_progress` sends a progress request on the watch.
        """
        self._client = client
        self._request_progress = request_progress
        self._anything = message("RangeRequest")(key=key, count_only=True)
        self._reached = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0
        self._reading: asyncio.Task[None] | None = None
        self._retry_timer: asyncio.TimerHandle | None = None
        self._readers: list[asyncio.Future[int]] = []

    async def newest(self) -> int:
        """Return the newest revision of etcd.

        Raises StorageUnavailable if no member answers, and StorageFailed if etcd returns an error.
        """
        for _ in range(self._client.members - 1):
            with suppress(StorageUnavailable):
                return await self._revision_of_member(_MEMBER_SECONDS)
        return await self._revision_of_member(CALL_SECONDS)

    async def _revision_of_member(self, seconds: float) -> int:
        revision: int = (await self._client.call("range", self._anything, seconds)).header.revision
        return revision

    def wait_until_newest(self) -> "asyncio.Future[int]":
        """Return a future that is done when this server's copy of etcd has reached the revision that etcd has now.

        Its result is the revision of the copy. Concurrent callers share one request to etcd. The future raises
        StorageUnavailable if etcd does not answer, StorageFailed if etcd returns an error, and StorageClosed if the
        storage is closed.
        """
        loop = asyncio.get_running_loop()
        reader: asyncio.Future[int] = loop.create_future()
        self._readers.append(reader)
        if self._reading is None:
            self._reading = loop.create_task(self._answer_readers())
        return reader

    async def wait_until(self, revision: int, seconds: float = CALL_SECONDS, *, has_event: bool = False) -> None:
        """Wait until this server's copy of etcd has reached a revision.

        Raises StorageUnavailable after `seconds` seconds, and StorageClosed if the storage is closed.

        Pass `has_event` for the revision of a write to a key of memkube: the watch reports the write as an event, so a
        progress request is sent only if the event is late. For another revision, the watch may have no event, so a
        progress request is sent at once.
        """
        if self._reached >= revision:
            return
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()
        self._count += 1
        heappush(self._waiting, (revision, self._count, waiting))
        if not has_event:
            self._request_progress()
        if self._retry_timer is None:
            self._retry_timer = loop.call_later(_PROGRESS_SECONDS, self._retry, loop)
        timer = loop.call_later(seconds, _fail, (waiting,), StorageUnavailable(_LATE))
        try:
            await waiting
        finally:
            timer.cancel()

    def advance(self, revision: int) -> None:
        """Record the revision that this server's copy of etcd has reached.

        Wake the readers that wait for this revision or an earlier one.
        """
        self._reached = revision
        while self._waiting and self._waiting[0][0] <= revision:
            _, _, waiting = heappop(self._waiting)
            if not waiting.done():
                waiting.set_result(None)

    def close(self) -> None:
        """Wake all waiting readers with the exception StorageClosed."""
        if self._reading is not None:
            self._reading.cancel()
        if self._retry_timer is not None:
            self._retry_timer.cancel()
        _fail([*self._readers, *(waiting for _, _, waiting in self._waiting)], StorageClosed())

    def _retry(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting:
            self._retry_timer = None
            return
        self._request_progress()
        self._retry_timer = loop.call_later(_PROGRESS_SECONDS, self._retry, loop)

    async def _answer_readers(self) -> None:
        try:
            # Readers that begin to wait in the same iteration of the event loop share one request to etcd.
            await asyncio.sleep(0)
            while self._readers:
                readers, self._readers = self._readers, []
                try:
                    await self.wait_until(await self.newest())
                except asyncio.CancelledError:
                    _fail(readers, StorageClosed())
                    raise
                except Exception as error:
                    _fail(readers, error)
                else:
                    for reader in readers:
                        if not reader.done():
                            reader.set_result(self._reached)
        finally:
            self._reading = None


def _fail(futures: Sequence[asyncio.Future[Any]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
            # Read the exception: if the reader has been cancelled, asyncio would otherwise warn about it.
            future.exception()
