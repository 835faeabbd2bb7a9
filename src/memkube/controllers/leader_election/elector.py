"""Acquires and renews the Lease of the leader (client-go ``tools/leaderelection``).

Times that other servers have written are never compared with this server's clock. A lease has expired if its duration
has passed on this clock since its last observed change.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import datetime, timedelta
from random import random
from typing import Any, Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.time import MicroTime
from memkube.apis.coordination.v1.leases.types import Lease
from memkube.controllers.framework.client import Client
from memkube.controllers.framework.parts import ControllerParts
from memkube.controllers.options import ElectionOptions
from memkube.registry.objects.stored import StoredObject

NAME: Final = "memkube"
NAMESPACE: Final = "kube-system"
ADDRESS: Final = "memkube.dev/url"
"""Name of the Lease's annotation with the URL of the leader."""
_JITTER: Final = 1.2
_RELEASED_SECONDS: Final = 1
LOGGER: Final = logging.getLogger("memkube.controllers")


class LeaseRecord(NamedTuple):
    """The fields of a Lease that leader election reads and writes."""

    holder: str
    url: str
    seconds: int
    acquired: MicroTime | None
    transitions: int

    @classmethod
    def of(cls, stored: StoredObject) -> "LeaseRecord":
        """Read holder, URL, duration and acquisition time from a stored Lease."""
        spec: dict[str, Any] = stored.document.get("spec") or {}
        annotations = stored.document["metadata"].get("annotations") or {}
        return cls(
            spec.get("holderIdentity") or "",
            annotations.get(ADDRESS, ""),
            spec.get("leaseDurationSeconds") or 0,
            MicroTime(spec["acquireTime"]) if spec.get("acquireTime") else None,
            spec.get("leaseTransitions") or 0,
        )


class Candidate(NamedTuple):
    """Identity and URL of a server that takes part in the leader election."""

    identity: str
    url: str


class LeaderElector:
    """Acquires and renews the lease of the leader on behalf of this server."""

    def __init__(self, parts: ControllerParts, candidate: Candidate, options: ElectionOptions) -> None:
        self._clock = parts.registry.clock
        self._client = Client(parts.registry, parts.request_log, NAME)
        self._resource = parts.registry.find("coordination.k8s.io", "v1", "leases").resource
        self._candidate = candidate
        self._options = options
        self._stored: StoredObject | None = None
        self._seen_at = self._clock.now()

    @property
    def record(self) -> LeaseRecord | None:
        """The Lease as it was last read; None if it was not found."""
        return None if self._stored is None else LeaseRecord.of(self._stored)

    @property
    def holds(self) -> bool:
        """True if this server held the lease when the Lease was last read."""
        return self.record is not None and self.record.holder == self._candidate.identity

    @property
    def is_valid(self) -> bool:
        """True if the Lease, as it was last read, has a holder and has not expired."""
        record = self.record
        ends = self._seen_at + timedelta(seconds=record.seconds) if record is not None else self._seen_at
        return record is not None and bool(record.holder) and ends > self._clock.now()

    async def observe(self) -> None:
        """Read the Lease, which need not exist. Raises ApiError if the request fails."""
        try:
            self._see(await self._client.get(self._resource, NAMESPACE, NAME))
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            self._stored = None

    async def acquire(self) -> None:
        """Try to acquire the lease until this server holds it."""
        while not await self.try_once():
            await self._pause(self._options.retry_seconds * (1 + random() * _JITTER))  # noqa: S311  jitter

    async def renew(self, is_wanted: Callable[[], bool]) -> None:
        """Renew the lease until `is_wanted` returns False, another server holds it, or the renew deadline passes."""
        while is_wanted() and await self._renewed():
            await self.pause()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run the coroutine `work` in a task.

        A stepped clock, which moves only when a client advances it, stands still until the task waits.
        """
        task = asyncio.ensure_future(work)
        self._clock.activity.woken()
        return task

    async def cancel(self, task: asyncio.Task[None]) -> None:
        """Cancel a task, and wait until it has ended.

        A stepped clock, which moves only when a client advances it, stands still meanwhile.
        """
        with self._clock.activity:
            task.cancel()
            await asyncio.wait([task])

    async def pause(self) -> None:
        """Wait for one retry period of the leader election."""
        await self._pause(self._options.retry_seconds)

    async def release(self) -> None:
        """Release the lease if this server holds it. Raises ApiError if the write is refused."""
        await self.observe()
        stored, record = self._stored, self.record
        if stored is None or record is None or not self.holds:
            return
        now = MicroTime.at(self._clock.now())
        await self._write(stored, LeaseRecord("", "", _RELEASED_SECONDS, now, record.transitions), now)

    async def try_once(self) -> bool:
        """Make one attempt to acquire or renew the lease. Returns True if this server holds the lease after that."""
        return await self._attempt()

    def set_aside(self) -> None:
        self._clock.activity.end()

    def take_up(self) -> None:
        self._clock.activity.begin()

    def _attempt(self) -> asyncio.Task[bool]:
        """Start an attempt to acquire or renew the lease.

        The attempt has a task of its own, so that it continues if the caller is cancelled.
        """
        activity = self._clock.activity
        activity.begin()
        attempt = asyncio.ensure_future(self._attempted())
        attempt.add_done_callback(lambda _: activity.end())
        return attempt

    async def _attempted(self) -> bool:
        self._clock.activity.employ(self)
        try:
            return await self._tried()
        except ApiError as error:
            LOGGER.debug("cannot acquire the lease %s: %s", NAME, error)
        except Exception as error:  # An external storage may raise any exception: the attempt counts as failed.
            LOGGER.warning("cannot acquire the lease %s: %s", NAME, error)
        return False

    async def _tried(self) -> bool:
        now, options = MicroTime.at(self._clock.now()), self._options
        new = LeaseRecord(self._candidate.identity, self._candidate.url, options.whole_lease_seconds, now, 0)
        if self.holds and self.is_valid and self._stored is not None and self.record is not None:
            # Write without reading first: the holder knows the newest revision of the Lease, unless another server has
            # taken it.
            with suppress(ApiError):
                await self._write(self._stored, self._kept_on(new, self.record), now)
                return True
        await self.observe()
        stored, record = self._stored, self.record
        if stored is None or record is None:
            self._see(await self._client.create(self._resource, _lease(new, now), NAMESPACE))
            return True
        if self.is_valid and not self.holds:
            return False
        new = self._kept_on(new, record) if self.holds else new._replace(transitions=record.transitions + 1)
        await self._write(stored, new, now)
        return True

    def _kept_on(self, new: LeaseRecord, old: LeaseRecord) -> LeaseRecord:
        return new._replace(acquired=old.acquired, transitions=old.transitions)

    async def _write(self, stored: StoredObject, record: LeaseRecord, now: MicroTime) -> None:
        """Write the fields in `record` into the Lease, which was read as `stored`. `now` is the time of the renewal.

        Raises ApiError if the write is refused: 409 if the Lease has changed since it was read.
        """

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Lease)
            if obj.metadata.resourceVersion != stored.resource_version:
                raise ApiError(409, "Conflict", "the lease has changed")
            _set(obj, record, now)

        self._see(await self._client.update(self._resource, stored, change))

    def _see(self, stored: StoredObject) -> None:
        if self._stored is None or self._stored.resource_version != stored.resource_version:
            self._stored, self._seen_at = stored, self._clock.now()

    async def _renewed(self) -> bool:
        """Try to renew the lease until the renew deadline has passed. Returns True once that succeeds.

        An attempt that has not finished at the deadline counts as failed.
        """
        deadline = self._clock.now() + timedelta(seconds=self._options.renew_seconds)
        while self._clock.now() < deadline:
            if await self._until(deadline, self._attempt()):
                return True
            if self.is_valid and not self.holds:
                return False
            left = (deadline - self._clock.now()).total_seconds()
            await self._pause(min(self._options.retry_seconds, max(left, 0)))
        return False

    async def _until(self, deadline: datetime, working: asyncio.Task[bool]) -> bool:
        """Return the result of `working`, an attempt to get the lease; False if the deadline has cancelled it."""

        def give_up() -> None:
            working.cancel()

        timer = self._clock.call_at(deadline, give_up)
        try:
            return await working
        except asyncio.CancelledError:
            if not working.cancelled() or _is_cancelled():
                working.cancel()
                raise
            return False
        finally:
            timer.cancel()

    async def _pause(self, seconds: float) -> None:
        await self._clock.sleep_until(self._clock.now() + timedelta(seconds=seconds))


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _lease(record: LeaseRecord, now: MicroTime) -> Lease:
    lease = Lease()
    lease.metadata.name = NAME
    _set(lease, record, now)
    return lease


def _set(lease: Lease, record: LeaseRecord, now: MicroTime) -> None:
    spec = lease.spec
    spec.holderIdentity, spec.leaseDurationSeconds = record.holder, record.seconds
    spec.acquireTime, spec.renewTime, spec.leaseTransitions = record.acquired, now, record.transitions
    annotations = {name: value for name, value in lease.metadata.annotations.items() if name != ADDRESS}
    lease.metadata.annotations = {**annotations, ADDRESS: record.url} if record.url else annotations
