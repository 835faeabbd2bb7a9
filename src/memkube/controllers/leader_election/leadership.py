"""What the leader of several servers on one storage does, and how the others find him."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

from memkube.controllers.leader_election.elector import LOGGER, NAME, LeaderElector

_Step: TypeAlias = Callable[[], Awaitable[None]]


class Leadership:
    """Has something run for as long as this server holds the lease, and knows who does: see Leader."""

    def __init__(self, elector: LeaderElector, *, campaigns: bool = True) -> None:
        """A server that does not `campaign` never leads; what the leader does is its own until somebody has led."""
        self._elector = elector
        self._campaigns = campaigns
        self._begin: _Step = _nothing
        self._end: _Step = _nothing
        self._leads = False
        self._failed = False
        """What is to be run could not begin."""
        self._first: asyncio.Future[None] | None = None
        """Is told how the first thing that the server did as a leader went."""
        self._running: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self, begin: _Step, end: _Step) -> AsyncIterator[None]:
        """Calls `begin` whenever the lease is got, and `end` when it is lost or given back, while the block runs.

        The lease is tried for once before, so that the only server leads when it answers its first request.
        """
        self._begin, self._end = begin, end
        try:
            if not self._campaigns:
                await self._look()
                self._running = asyncio.create_task(self._watch())
            else:
                self._leads = await self._elector.try_once()
                first = self._first = asyncio.get_running_loop().create_future() if self._leads else None
                self._running = asyncio.create_task(self._run())
                if first is not None:
                    await first
            yield
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Ends what runs, and gives the lease back."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        if self._leads:
            await self._follow()
            with suppress(Exception):  # It ends by itself.
                await self._elector.release()

    @property
    def is_follower(self) -> bool:
        return not self._leads if self._campaigns else self._elector.record is not None

    async def leader_url(self) -> str:
        await self._look()
        record = self._elector.record
        is_other = self._elector.is_valid and not self._elector.holds
        return record.url if record is not None and is_other else ""

    async def _run(self) -> None:
        while True:
            if not self._leads:
                await self._elector.acquire()
            await self._lead()
            await self._follow()
            if self._failed:
                # The lease ends by itself, and goes to whoever comes first.
                await self._elector.pause()

    async def _watch(self) -> None:
        while True:
            await self._elector.pause()
            await self._look()

    async def _look(self) -> None:
        """Where the lease cannot be read, what it said last counts for as long as it may hold."""
        try:
            await self._elector.observe()
        except Exception as error:  # Storage is elsewhere, and anything may be wrong with it.
            LOGGER.warning("the lease %s cannot be read: %s", NAME, error)

    async def _lead(self) -> None:
        """Returns when the lease is lost, or what is to be run cannot begin.

        The lease is renewed meanwhile: to list all that there is may outlast it.
        """
        self._leads, self._failed = True, False
        beginning = self._elector.start(self._begun())
        try:
            await self._elector.renew(lambda: not self._failed)
        finally:
            if not beginning.done():
                await self._elector.cancel(beginning)
        if not self._failed:
            LOGGER.warning("the lease %s is lost: controllers stop", NAME)

    async def _begun(self) -> None:
        try:
            await self._begin()
        except Exception as error:
            LOGGER.exception("the controllers cannot begin")
            self._failed = True
            self._tell_first(error)
        else:
            self._tell_first(None)

    def _tell_first(self, error: Exception | None) -> None:
        """Has the block of `running` begin, which waits for this; an error ends it before."""
        if self._first is not None and not self._first.done():
            if error is None:
                self._first.set_result(None)
            else:
                self._first.set_exception(error)

    async def _follow(self) -> None:
        self._leads = False
        await self._end()
        self._tell_first(None)


async def _nothing() -> None:
    """What is done where nothing is to be done."""
