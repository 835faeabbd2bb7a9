"""The faults of a running server, and the counts of their hits. The code that handles a request applies the effects."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from random import Random
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from memkube.faults.attributes import RequestAttributes, Stage

if TYPE_CHECKING:
    # The pydantic models of rules and effects are imported when the first rule is added, because defining them would
    # slow down the start of a server.
    from memkube.faults.rules import FaultRule

MOST_RULES: Final = 1_000
_MOST_CLIENTS: Final = 1_000
_MOST_PAST_DRIFTS: Final = 1_000


class ConnectionDropped(ConnectionResetError):
    """Raised if a fault closes the connection, before the response or in the middle of the response."""


class Asker(Protocol):
    """A request in progress: faults match its attributes, and are recorded in it if they are applied to it."""

    def asked(self) -> RequestAttributes:
        """Return the attributes of the request, which fault rules match."""

    def was_hit(self, fault: str) -> None:
        """Record in the request log that the fault with this name was applied to the request."""


MakeAsker: TypeAlias = Callable[[], Asker]
"""Function that creates the `Asker` of a request. Called only if the server has faults."""


class ActiveFault:
    """A fault rule with its counters and the requests that it currently delays."""

    def __init__(self, name: str, rule: "FaultRule", added: datetime) -> None:
        self.name = name
        self.rule = rule
        self.added = added
        self.matched = 0
        """Number of matching requests, watches, events or webhook calls."""
        self.hits = 0
        """Number of matching requests, watches, events or webhook calls to which the effect was applied."""
        self.is_removed = False
        self.shown: dict[tuple[str, str], int] = {}
        """Newest revision that each client (user and user agent) has seen in matching reads."""
        self._chance = Random(f"{rule.when.seed}")  # noqa: S311  no secret
        self._waiting: dict[asyncio.Future[None], None] = {}

    def falls_on(self, asked: RequestAttributes, now: datetime) -> bool:
        """Return True if the fault's effect must be applied to the request with the attributes `asked`.

        Counts the request if it matches the rule. `now` is the time of the server's clock.
        """
        when = self.rule.when
        is_over = self.is_removed or (when.until is not None and now >= when.until)
        if is_over or not self.rule.match.fits(asked):
            return False
        self.matched += 1
        if when.first is not None and self.hits >= when.first:
            return False
        behind = self.matched - when.after - 1
        if behind < 0 or behind % when.every:
            return False
        if when.probability < 1 and self._chance.random() >= when.probability:
            return False
        self.hits += 1
        return True

    def remember(self, client: tuple[str, str], revision: int) -> None:
        """Record the newest revision that a client has seen.

        If there are too many clients, the one that was recorded least recently is removed.
        """
        known = self.shown.pop(client, 0)
        self.shown[client] = max(known, revision)
        if len(self.shown) > _MOST_CLIENTS:
            del self.shown[next(iter(self.shown))]

    def removal(self) -> asyncio.Future[None]:
        """Return a future that is done when the fault is removed. The caller must cancel it after waiting."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.is_removed:
            waiter.set_result(None)
        else:
            self._waiting[waiter] = None
            waiter.add_done_callback(self._waiting.pop)
        return waiter

    def remove(self) -> None:
        """Stop applying the effect, and release the requests that the fault delays."""
        self.is_removed = True
        for waiter in list(self._waiting):
            if not waiter.done():
                waiter.set_result(None)


class FaultExists(ValueError):
    """Raised if a fault with this name exists already."""


class TooManyFaults(ValueError):
    """Raised if the maximum number of faults exists already."""


class Faults:
    """All faults of a server, in the order in which they were added. May be used only on the server's event loop.

    Code that handles requests checks `present` first, so that a server without faults does no further work.
    """

    def __init__(self) -> None:
        self.present = False
        """True if the server has any fault."""
        self.drifting = False
        """True if any fault has ever shifted the clock of a node."""
        self._faults: dict[str, ActiveFault] = {}
        self._past_drifts: list[tuple[ActiveFault, datetime]] = []
        self._listeners: list[Callable[[], None]] = []
        self._given = 0

    def __iter__(self) -> Iterator[ActiveFault]:
        return iter(list(self._faults.values()))

    def get(self, name: str) -> ActiveFault:
        """Return the fault with this name. Raises KeyError if it does not exist."""
        return self._faults[name]

    def add(self, rule: "FaultRule", now: datetime) -> ActiveFault:
        """Add a fault rule, which applies to requests from now on.

        Raises FaultExists if the rule's name is in use, and TooManyFaults if the server has the maximum number of
        faults.
        """
        name = rule.name or self._new_name(rule.effect.type)
        if name in self._faults:
            raise FaultExists(f'a fault with the name "{name}" exists already: remove it, or choose another name')
        if len(self._faults) >= MOST_RULES:
            raise TooManyFaults(f"the server already has the maximum of {MOST_RULES} faults: remove one first")
        fault = self._faults[name] = ActiveFault(name, rule, now)
        self.present = True
        self.drifting = self.drifting or rule.effect.stage is Stage.NODE
        self._notify()
        return fault

    def remove(self, name: str, now: datetime) -> ActiveFault:
        """Remove the fault with this name, release the requests that it delays, and return it.

        `now` is the time of the server's clock. Raises KeyError if the fault does not exist.
        """
        fault = self._faults.pop(name)
        self._end(fault, now)
        self._notify()
        return fault

    def clear(self, now: datetime) -> None:
        """Remove all faults, and release the requests that they delay. `now` is the time of the server's clock."""
        faults, self._faults = list(self._faults.values()), {}
        for fault in faults:
            self._end(fault, now)
        if faults:
            self._notify()

    def close(self) -> None:
        """Remove all listeners of :meth:`on_change`: they refer to the server, and would keep it in memory."""
        self._listeners.clear()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever a fault is added or removed."""
        self._listeners.append(listener)

    def about(self, stage: Stage) -> Iterator[ActiveFault]:
        """Return the faults whose effects apply at this stage of request handling."""
        return (fault for fault in self if fault.rule.effect.stage is stage)

    @property
    def looks_at_names(self) -> bool:
        """True if the server must read the object's name from the request body of a create, because a fault needs it.

        A fault needs the name if its rule selects requests by name, or if it answers with 409, because the message of
        this error contains the name.
        """
        return any(f.rule.match.names or getattr(f.rule.effect, "code", 0) == 409 for f in self)

    def drift(self, node: str, instant: datetime) -> timedelta:
        """Return the time by which faults move a node's clock ahead of the server's clock; negative if it is behind.

        `instant` is the time, by the server's clock, for which the difference is computed; it may be in the past.
        """
        seconds = 0.0
        for fault, ended in [*self._past_drifts, *((fault, None) for fault in self)]:
            effect, until = fault.rule.effect, fault.rule.when.until
            if effect.type != "clockDrift" or not fnmatchcase(node, effect.node):
                continue
            if instant < fault.added or (ended and instant >= ended) or (until and instant >= until):
                continue
            seconds += effect.seconds + effect.rate * (instant - fault.added).total_seconds()
        return timedelta(seconds=seconds)

    def _end(self, fault: ActiveFault, now: datetime) -> None:
        self.present = bool(self._faults)
        if fault.rule.effect.stage is Stage.NODE:
            self._past_drifts = [*self._past_drifts, (fault, now)][-_MOST_PAST_DRIFTS:]
        fault.remove()

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()

    def _new_name(self, effect: str) -> str:
        """Return an unused name, made of the effect's type and a number."""
        base = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in effect)
        while True:
            self._given += 1
            if (name := f"{base}-{self._given}") not in self._faults:
                return name


async def wait_for_delay(fault: ActiveFault, passing: asyncio.Future[None]) -> None:
    """Wait until the fault is removed or its delay is over.

    `passing` is a future that the caller completes when the delay is over. This function cancels it if the fault is
    removed first.
    """
    removed = fault.removal()
    try:
        await asyncio.wait({removed, passing}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        removed.cancel()
        passing.cancel()
