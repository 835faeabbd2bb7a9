"""Runs the controllers while this server is the leader, and knows which server is the leader."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

from memkube.controllers.leader_election.elector import LOGGER, NAME, LeaderElector

_Step: TypeAlias = Callable[[], Awaitable[None]]


class Leadership:
    """Starts the controllers when the server acquires the lease, and stops them when it loses the lease."""

    def __init__(self, elector: LeaderElector, *, campaigns: bool = True) -> None:
        """Create the leader election of this server, whose Lease `elector` reads and writes.

        If `campaigns` is False, the server never tries to become the leader, and it counts as a follower only while the
        Lease of a leader exists.
        """
        self._elector = elector
        self._campaigns = campaigns
        self._begin: _Step = _nothing
        self._end: _Step = _nothing
        self._leads = False
        self._failed = False
        """True if the controllers could not start."""
        self._first: asyncio.Future[None] | None = None
        """Future that completes when the controllers have been started for the first time."""
        self._running: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self, begin: _Step, end: _Step) -> AsyncIterator[None]:
        """Take part in the election during the block.

        `begin` is called after the lease was acquired, and `end` after it was lost or released.

        The first attempt to acquire the lease is made before the block, so that a single server leads from its first
        request on.
        """
        self._begin, self._end = begin, end
        try:
            if not self._campaigns:
                await self._read_lease()
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
        """Stop the controllers, then release the lease."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        if self._leads:
            await self._follow()
            with suppress(Exception):  # If the lease cannot be released, other servers must wait until it has expired.
                await self._elector.release()

    @property
    def is_follower(self) -> bool:
        return not self._leads if self._campaigns else self._elector.record is not None

    async def leader_url(self) -> str:
        await self._read_lease()
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
                # The controllers could not start. Wait, so that the lease expires and another server can acquire it.
                await self._elector.pause()

    async def _watch(self) -> None:
        while True:
            await self._elector.pause()
            await self._read_lease()

    async def _read_lease(self) -> None:
        """Read the Lease. If the request fails, keep using the last known Lease until it expires."""
        try:
            await self._elector.observe()
        except Exception as error:  # An external storage may raise any exception: keep the last known Lease then.
            LOGGER.warning("cannot read the lease %s: %s", NAME, error)

    async def _lead(self) -> None:
        """Start the controllers. Return when the lease is lost, or if they could not start.

        The lease is renewed during the start: listing all objects may take longer than the lease lasts.
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
            LOGGER.exception("the controllers cannot start")
            self._failed = True
            self._finish_first_start(error)
        else:
            self._finish_first_start(None)

    def _finish_first_start(self, error: Exception | None) -> None:
        """End the wait in `running`: the controllers have started for the first time, or failed with this error."""
        if self._first is not None and not self._first.done():
            if error is None:
                self._first.set_result(None)
            else:
                self._first.set_exception(error)

    async def _follow(self) -> None:
        self._leads = False
        await self._end()
        self._finish_first_start(None)


async def _nothing() -> None:
    """Do nothing. This stands for the functions `begin` and `end` until they are passed to `running`."""
