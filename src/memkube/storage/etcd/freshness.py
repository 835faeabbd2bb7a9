"""How new a copy of an etcd is: which revision etcd has come to, and waiting until the copy has."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from typing import Any, Final

from memkube.storage.errors import StorageClosed, StorageUnavailable
from memkube.storage.etcd.client import CALL_SECONDS, EtcdClient
from memkube.storage.etcd.messages import message

_PROGRESS_SECONDS: Final = 0.1
"""After which etcd is asked again, as by the reference: it does not answer while its watch is behind."""

_LATE: Final = "what was written to etcd does not come by its watch"
_MEMBER_SECONDS: Final = 2.0
"""How long a member may take to answer, before another one is asked."""


class Freshness:
    """Belongs to one event loop."""

    def __init__(self, client: EtcdClient, key: bytes, ask_progress: Callable[[], None]) -> None:
        """Asks about `key`, be it there or not; `ask_progress` has etcd say by its watch how far that has come."""
        self._client = client
        self._ask_progress = ask_progress
        self._anything = message("RangeRequest")(key=key, count_only=True)
        self._reached = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0
        self._asking: asyncio.Task[None] | None = None
        self._asking_again: asyncio.TimerHandle | None = None
        self._askers: list[asyncio.Future[int]] = []

    async def newest(self) -> int:
        """The revision that etcd has come to, as any of its members knows. Raises StorageUnavailable."""
        for _ in range(self._client.members - 1):
            with suppress(StorageUnavailable):
                return await self._ask_member(_MEMBER_SECONDS)
        return await self._ask_member(CALL_SECONDS)

    async def _ask_member(self, seconds: float) -> int:
        revision: int = (await self._client.call("range", self._anything, seconds)).header.revision
        return revision

    def caught_up(self) -> "asyncio.Future[int]":
        """The revision that the copy has come to, which is etcd's of now or a later one. Raises StorageUnavailable.

        Those who come in the same turn, or while etcd is being asked, share an answer.
        """
        loop = asyncio.get_running_loop()
        asker: asyncio.Future[int] = loop.create_future()
        self._askers.append(asker)
        if self._asking is None:
            self._asking = loop.create_task(self._ask())
        return asker

    async def come_to(self, revision: int, seconds: float = CALL_SECONDS, *, tells: bool = False) -> None:
        """Returns when the copy has come to a revision. Raises StorageUnavailable where it does not come.

        Where its watch `tells` of the revision by an event, etcd is asked how far it has come only when that is late.
        """
        if self._reached >= revision:
            return
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()
        self._count += 1
        heappush(self._waiting, (revision, self._count, waiting))
        if not tells:
            self._ask_progress()
        if self._asking_again is None:
            self._asking_again = loop.call_later(_PROGRESS_SECONDS, self._ask_again, loop)
        timer = loop.call_later(seconds, _fail, (waiting,), StorageUnavailable(_LATE))
        try:
            await waiting
        finally:
            timer.cancel()

    def reach(self, revision: int) -> None:
        """The copy has come to a revision: those go on who have waited for it."""
        self._reached = revision
        while self._waiting and self._waiting[0][0] <= revision:
            _, _, waiting = heappop(self._waiting)
            if not waiting.done():
                waiting.set_result(None)

    def close(self) -> None:
        """Whoever waits is told that storage is closed."""
        if self._asking is not None:
            self._asking.cancel()
        if self._asking_again is not None:
            self._asking_again.cancel()
        _fail([*self._askers, *(waiting for _, _, waiting in self._waiting)], StorageClosed())

    def _ask_again(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting:
            self._asking_again = None
            return
        self._ask_progress()
        self._asking_again = loop.call_later(_PROGRESS_SECONDS, self._ask_again, loop)

    async def _ask(self) -> None:
        try:
            # Whoever comes in the same turn is answered with the others.
            await asyncio.sleep(0)
            while self._askers:
                askers, self._askers = self._askers, []
                try:
                    await self.come_to(await self.newest())
                except asyncio.CancelledError:
                    _fail(askers, StorageClosed())
                    raise
                except Exception as error:
                    _fail(askers, error)
                else:
                    for asker in askers:
                        if not asker.done():
                            asker.set_result(self._reached)
        finally:
            self._asking = None


def _fail(futures: Sequence[asyncio.Future[Any]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
            # Whoever waited may have gone.
            future.exception()
