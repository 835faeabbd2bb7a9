"""The time that a server lives by, and those outside who react to it."""

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.cluster.running import CALL_SECONDS
from memkube.cluster.waiting import Condition, Document, holds_of, summary
from memkube.errors import WaitTimeout

if TYPE_CHECKING:
    from memkube.cluster.running import Running

T = TypeVar("T")
Until: TypeAlias = tuple[str, str, Condition] | tuple[str, str, Condition, str]
"""A resource, a name, a condition on the object as for `wait_for`, and its namespace, ``default`` if it is not said."""
ADVANCE_SECONDS: Final = 10 * CALL_SECONDS
_FARTHEST_SECONDS: Final = 3600.0
_TIMED_OUT: Final = 504


class Clock:
    """The time that a server lives by."""

    def __init__(self, running: "Running") -> None:
        self._running = running

    def now(self) -> datetime:
        """The present instant, in UTC."""
        return self._running.now()

    def advance(
        self,
        seconds: float | None = None,
        *,
        until: Until | None = None,
        quiet_for: float = 0,
        clients: Sequence[str] = (),
        timeout: float = ADVANCE_SECONDS,
    ) -> datetime:
        """Moves a stepped clock on; returns what it shows when all that fell due has happened, in its order.

        ::

            kube.clock.advance(30)
            kube.clock.advance(until=("deployments", "web", "condition=Available"))
            kube.clock.advance(quiet_for=60, clients=["my-operator"])

        It stops at the first instant at which `until` holds, or at which nothing has been written for `quiet_for`
        seconds but leases, events and the status of nodes. That has to come within `seconds`, or within an hour where
        they are not said. Where `clients` outside are named, they have to `settle` at each instant at which they have
        been sent anything or have asked for anything, before time goes on.

        Refused, with 409, by a clock that runs by itself. Raises WaitTimeout where what it is moved for does not
        come, or the clients do not settle within ten seconds on the wall; ValueError for a condition that there is not.
        """
        return self._running.answer(_moved(self._running, _Move(seconds, until, quiet_for, clients)), timeout)


class AsyncClock:
    """See Clock."""

    def __init__(self, running: "Running") -> None:
        self._running = running

    def now(self) -> datetime:
        """The present instant, in UTC."""
        return self._running.now()

    async def advance(
        self,
        seconds: float | None = None,
        *,
        until: Until | None = None,
        quiet_for: float = 0,
        clients: Sequence[str] = (),
        timeout: float = ADVANCE_SECONDS,
    ) -> datetime:
        """See Clock."""
        return await self._running.awaited(_moved(self._running, _Move(seconds, until, quiet_for, clients)), timeout)


def settled(running: "Running", clients: Sequence[str], silent: float, timeout: float) -> Coroutine[Any, Any, None]:
    """What Memkube.settle waits for. Raises WaitTimeout."""
    return _in_time(running.controls.settle(clients, silent, timeout))


@dataclass(frozen=True, slots=True)
class _Move:
    """How far to go, and what for. Raises ValueError."""

    seconds: float | None
    until: Until | None
    quiet_for: float
    clients: Sequence[str]

    def __post_init__(self) -> None:
        if self.until is not None and self.quiet_for:
            raise ValueError("until or quiet_for, not both")
        if self.seconds is None and self.until is None and not self.quiet_for:
            raise ValueError("seconds, until or quiet_for have to be said")

    def __str__(self) -> str:
        if self.until is None:
            return f"{self.quiet_for:g} quiet seconds"
        resource, name, condition, *_ = self.until
        return f"{resource} {name}: {condition if isinstance(condition, str) else 'what was waited for'}"


def _moved(running: "Running", move: _Move) -> Coroutine[Any, Any, datetime]:
    """Raises ValueError."""
    holds = None if move.until is None else holds_of(move.until[2])
    seen: list[Document | None] = [None]

    def is_met(state: Document | None) -> bool:
        seen[0] = state
        return holds is not None and holds(state)

    async def moved() -> datetime:
        seconds = _FARTHEST_SECONDS if move.seconds is None else move.seconds
        controls = running.controls
        if move.until is not None:
            resource, name, _, *namespace = move.until
            goal: Any = controls.object_goal(resource, name, *namespace, holds=is_met)
        else:
            goal = controls.quiet_goal(move.quiet_for) if move.quiet_for else None
        stepped = await _in_time(controls.advance(seconds, goal, move.clients))
        if not stepped.met:
            last = ""
            if move.until is not None:
                last = f"; last seen: {summary(seen[0])}" if seen[0] else "; there is no such object"
            raise WaitTimeout(f"{move} has not come within {seconds:g} s of the server's clock{last}")
        return stepped.now

    return moved()


async def _in_time(work: Coroutine[Any, Any, T]) -> T:
    """Raises WaitTimeout for an ApiError 504."""
    try:
        return await work
    except ApiError as error:
        if error.code != _TIMED_OUT:
            raise
        raise WaitTimeout(error.message) from None
