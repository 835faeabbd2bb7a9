"""Reading and advancing the server's clock, and waiting until external clients have reacted.

Only a stepped clock can be advanced; it does not move by itself.
"""

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.cluster.bridge import Blocking, Calls, blocking
from memkube.cluster.running import CALL_SECONDS, Running
from memkube.cluster.waiting import Condition, Document, holds_of, summary
from memkube.errors import UsageError, WaitTimeout

T = TypeVar("T")
Until: TypeAlias = tuple[str, str, Condition] | tuple[str, str, Condition, str]
"""Condition at which `advance` stops: resource, object name, condition as for `wait_for`, and optionally a namespace.
"""
ADVANCE_SECONDS: Final = 10 * CALL_SECONDS
_FARTHEST_SECONDS: Final = 3600.0
_TIMED_OUT: Final = 504


class AsyncClock:
    """Reads the server's clock, and advances it if it is stepped: such a clock does not move by itself."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def now(self) -> datetime:
        """Return the time of the server's clock, in UTC."""
        return self._calls.running.now()

    async def advance(
        self,
        seconds: float | None = None,
        *,
        until: Until | None = None,
        quiet_for: float = 0,
        clients: Sequence[str] = (),
        timeout: float = ADVANCE_SECONDS,
    ) -> datetime:
        """Advance a stepped clock and return its new time, once all timers that are due by then have run in order.

        In a ``with Memkube() as kube`` block:

        ::

            kube.clock.advance(30)
            kube.clock.advance(until=("deployments", "web", "condition=Available"))
            kube.clock.advance(quiet_for=60, clients=["my-operator"])

        With `until`, the clock stops at the first instant at which the condition is met. With `quiet_for`, the clock
        stops once nothing was written for that many seconds; writes of Leases and Events, and updates of Nodes, do not
        count. With one of them, `seconds` is the longest time to advance, by default an hour; without them, it must be
        given.

        With `clients`, each move to the next timer waits until the external clients with these names have no requests
        in flight and send no more for a moment (see `settle`).

        Raises Refused, with 409, if the clock is not stepped. Raises WaitTimeout if the condition of `until`, or the
        period of `quiet_for`, is not reached within `seconds`, or if the clients do not settle within ten seconds of
        real time. Raises UsageError for an unknown condition or a wrong argument.
        """
        work = _moved(self._calls.running, _Move(seconds, until, quiet_for, clients))
        return await self._calls.answer(work, timeout)


class Clock(Blocking[AsyncClock]):
    """Reads the server's clock, and advances it if it is stepped: such a clock does not move by itself."""

    advance = blocking(AsyncClock.advance)

    def now(self) -> datetime:
        """Return the time of the server's clock, in UTC."""
        return self._implementation.now()


def until_settled(running: Running, clients: Sequence[str], silent: float, timeout: float) -> Coroutine[Any, Any, None]:
    """Return a coroutine that waits until the external clients named in `clients` (all if empty) have settled.

    `Memkube.settle` says when a client has settled, and explains `silent`. The coroutine raises WaitTimeout if the
    clients have not settled after `timeout` seconds of real time.
    """
    return _in_time(running.controls.settle(clients, silent, timeout))


@dataclass(frozen=True, slots=True)
class _Move:
    """The arguments of `advance`: how long to advance the clock, when to stop, and for which clients to wait.

    Raises UsageError if both `until` and `quiet_for` are given, if they and `seconds` are all missing, or if `seconds`
    or `quiet_for` is not a number.
    """

    seconds: float | None
    until: Until | None
    quiet_for: float
    clients: Sequence[str]

    def __post_init__(self) -> None:
        for name, value in (("seconds", self.seconds), ("quiet_for", self.quiet_for)):
            if value is not None and not isinstance(value, int | float):
                raise UsageError(f"{name} must be a number of seconds, not {value!r}")
        if self.until is not None and self.quiet_for:
            raise UsageError("give either until or quiet_for, not both")
        if self.seconds is None and self.until is None and not self.quiet_for:
            raise UsageError("advance needs at least one of seconds, until and quiet_for")

    def __str__(self) -> str:
        if self.until is None:
            return f"a period of {self.quiet_for:g} s without writes"
        resource, name, condition, *_ = self.until
        return f"{resource} {name}: {condition if isinstance(condition, str) else 'the condition'}"


def _moved(running: Running, move: _Move) -> Coroutine[Any, Any, datetime]:
    """Return a coroutine that advances the clock as `move` says, and returns the clock's new time.

    Raises UsageError for an unknown condition.
    """
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
            until: Any = controls.object_condition(resource, name, *namespace, holds=is_met)
        else:
            until = controls.quiet_condition(move.quiet_for) if move.quiet_for else None
        stepped = await _in_time(controls.advance(seconds, until, move.clients))
        if not stepped.met:
            last = ""
            if move.until is not None:
                last = f"; last seen: {summary(seen[0])}" if seen[0] else "; there is no such object"
            raise WaitTimeout(f"{move} was not met within {seconds:g} s of the server's clock{last}")
        return stepped.now

    return moved()


async def _in_time(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` and return its result. Raises WaitTimeout if `work` raises an ApiError with code 504."""
    try:
        return await work
    except ApiError as error:
        if error.code != _TIMED_OUT:
            raise
        raise WaitTimeout(error.message) from None
