"""The faults of a server: they are counted here, and done wherever they take effect."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from random import Random
from typing import Final, Protocol, TypeAlias

from memkube.faults.attributes import RequestAttributes
from memkube.faults.effects import ClockDrift, Stage
from memkube.faults.rules import FaultRule

MOST_RULES: Final = 1_000
_MOST_CLIENTS: Final = 1_000
_MOST_PAST_DRIFTS: Final = 1_000


class ConnectionDropped(ConnectionResetError):
    """A fault ends the connection: there is no answer, or no more of it."""


class Asker(Protocol):
    """Somebody who asks something of the server, for as long as that takes."""

    def asked(self) -> RequestAttributes:
        """The request as rules see it."""

    def was_hit(self, fault: str) -> None:
        """A fault of this name has hit the request."""


MakeAsker: TypeAlias = Callable[[], Asker]
"""Makes the asker of a request where there are faults to ask about it."""


class ActiveFault:
    """A rule, how often it has matched and hit, and whom it holds up."""

    def __init__(self, name: str, rule: FaultRule, added: datetime) -> None:
        self.name = name
        self.rule = rule
        self.added = added
        self.matched = 0
        """How many requests, watches, events or calls it was about."""
        self.hits = 0
        """How many of those it has hit."""
        self.is_removed = False
        self.shown: dict[tuple[str, str], int] = {}
        """The newest revision that each client was shown by the reads that it was about."""
        self._chance = Random(f"{rule.when.seed}")  # noqa: S311  no secret
        self._waiting: set[asyncio.Future[None]] = set()

    def falls_on(self, asked: RequestAttributes, now: datetime) -> bool:
        """Whether a request is hit; it is counted."""
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
        """A client has been shown a revision; those that have not been seen for the longest time are forgotten."""
        known = self.shown.pop(client, 0)
        self.shown[client] = max(known, revision)
        if len(self.shown) > _MOST_CLIENTS:
            del self.shown[next(iter(self.shown))]

    def held_up(self) -> asyncio.Future[None]:
        """Is done when the fault is removed; to be cancelled by whoever has waited."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.is_removed:
            waiter.set_result(None)
        else:
            self._waiting.add(waiter)
            waiter.add_done_callback(self._waiting.discard)
        return waiter

    def remove(self) -> None:
        """Hits nothing any more, and lets go of whom it holds up."""
        self.is_removed = True
        for waiter in list(self._waiting):
            if not waiter.done():
                waiter.set_result(None)


class FaultExists(ValueError):
    """There is a fault of that name."""


class TooManyFaults(ValueError):
    """There are as many as there may be."""


class Faults:
    """All faults of a server, in the order in which they came. Belongs to one event loop.

    Whoever carries something out looks at `present`, and asks only where there is something to ask.
    """

    def __init__(self) -> None:
        self.present = False
        """Whether there is any rule."""
        self.drifting = False
        """Whether any node's clock has ever been wrong."""
        self._faults: dict[str, ActiveFault] = {}
        self._past_drifts: list[tuple[ActiveFault, datetime]] = []
        self._listeners: list[Callable[[], None]] = []
        self._given = 0

    def __iter__(self) -> Iterator[ActiveFault]:
        return iter(list(self._faults.values()))

    def get(self, name: str) -> ActiveFault:
        """Raises KeyError."""
        return self._faults[name]

    def add(self, rule: FaultRule, now: datetime) -> ActiveFault:
        """From now on requests are held to the rule. Raises FaultExists and TooManyFaults."""
        name = rule.name or self._new_name(rule.effect.type)
        if name in self._faults:
            raise FaultExists(f'there is a fault "{name}" already')
        if len(self._faults) >= MOST_RULES:
            raise TooManyFaults(f"there are {MOST_RULES} faults already")
        fault = self._faults[name] = ActiveFault(name, rule, now)
        self.present = True
        self.drifting = self.drifting or rule.effect.stage is Stage.NODE
        self._tell()
        return fault

    def remove(self, name: str, now: datetime) -> ActiveFault:
        """Raises KeyError."""
        fault = self._faults.pop(name)
        self._end(fault, now)
        self._tell()
        return fault

    def clear(self, now: datetime) -> None:
        """Removes all of them."""
        faults, self._faults = list(self._faults.values()), {}
        for fault in faults:
            self._end(fault, now)
        if faults:
            self._tell()

    def close(self) -> None:
        """Remove all listeners, which refer to the server."""
        self._listeners.clear()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Calls `listener` whenever a fault comes or goes."""
        self._listeners.append(listener)

    def about(self, stage: Stage) -> Iterator[ActiveFault]:
        """Those whose effect belongs to a stage."""
        return (fault for fault in self if fault.rule.effect.stage is stage)

    @property
    def looks_at_names(self) -> bool:
        """Whether what the body of a creation says of the object's name matters to any."""
        return any(f.rule.match.names or getattr(f.rule.effect, "code", 0) == 409 for f in self)

    def drift(self, node: str, instant: datetime) -> timedelta:
        """How far a node's clock is ahead at an instant, past ones included."""
        seconds = 0.0
        for fault, ended in [*self._past_drifts, *((fault, None) for fault in self)]:
            effect, until = fault.rule.effect, fault.rule.when.until
            if not isinstance(effect, ClockDrift) or not fnmatchcase(node, effect.node):
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

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def _new_name(self, effect: str) -> str:
        """A name that is free, and tells what the fault does."""
        base = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in effect)
        while True:
            self._given += 1
            if (name := f"{base}-{self._given}") not in self._faults:
                return name


async def hold_up(fault: ActiveFault, passing: asyncio.Future[None]) -> None:
    """Returns when `passing` is done, or when the fault is removed."""
    removed = fault.held_up()
    try:
        await asyncio.wait({removed, passing}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        removed.cancel()
        passing.cancel()
