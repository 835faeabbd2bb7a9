"""Advances the clock of a server from one timer of the server to the next, until a stop condition is met."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from memkube.apimachinery.errors import ApiError
from memkube.control.object_conditions import Holds
from memkube.control.server_parts import ServerParts
from memkube.control.settling import QUIET_SECONDS, Settling
from memkube.registry.reads.object_events import ObjectEvent
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.time.clock import SteppedClock

_NOT_FOUND: Final = 404
_HEARTBEATS: Final = ("/coordination.k8s.io/leases/", "/core/events/", "/events.k8s.io/events/")
_NODES: Final = "/core/nodes/"


class StopCondition(Protocol):
    """A condition that is checked after each step of an advancing clock, and stops the clock once it is met."""

    async def is_met(self) -> bool:
        """Return True if the condition is met now, so that the clock must stop."""


class ObjectState:
    """Stop condition that is met when `holds` returns True for an object.

    `holds` is called with None while the object does not exist.
    """

    def __init__(self, store: Store, namespace: str, name: str, holds: Holds) -> None:
        self._store = store
        self._namespace = namespace if store.resource.namespaced else ""
        self._name = name
        self._holds = holds

    async def is_met(self) -> bool:
        try:
            stored = await self._store.get(self._namespace, self._name)
        except ApiError as error:
            if error.code != _NOT_FOUND:
                raise
            return self._holds(None)
        return self._holds(stored.document)


class Quiet:
    """Stop condition that is met after a period without writes, by the server's clock.

    Writes of Leases and Events, and updates of Nodes, do not count.
    """

    def __init__(self, registry: Registry, seconds: float) -> None:
        self._new_events = registry.new_events()
        self._clock = registry.clock
        self._seconds = timedelta(seconds=seconds)
        self._since = registry.clock.now()

    async def is_met(self) -> bool:
        """Return True if nothing was written for the number of seconds that the constructor was given.

        Writes of Leases and Events, and updates of Nodes, do not count. Raises RevisionCompacted if writes since the
        last call have been compacted.
        """
        async for event in self._new_events.read():
            if _is_news(event):
                self._since = self._clock.now()
        return self._clock.now() - self._since >= self._seconds


@dataclass(frozen=True, slots=True)
class SettleOptions:
    """The clients that must have settled (see `Settling`) before each step of the clock, and how long to wait."""

    clients: Sequence[str] = ()
    """Names of the clients; if empty, the clock advances without waiting."""
    quiet: float = QUIET_SECONDS
    """Seconds of real time for which a client must have sent and received nothing to count as settled."""
    seconds: float = 10.0
    """Maximum number of seconds of real time to wait for the clients before each step."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """The time to which the clock was advanced, and whether the stop condition was met."""

    now: datetime
    met: bool
    """True if the stop condition was met, or if there was none."""


async def step(
    parts: ServerParts, clock: SteppedClock, seconds: float, until: StopCondition | None, options: SettleOptions
) -> Stepped:
    """Advance the clock from one timer of the server to the next until `until` is met, but at most by `seconds`.

    Before each move to the next timer, wait until the clients in `options` have settled (see `Settling`). Returns the
    new time, and whether `until` was met. Raises ApiError 504 if the clients do not settle in time.
    """
    settling = Settling(parts, options.clients, options.quiet) if options.clients else None

    async def look() -> bool:
        if settling is not None:
            await settling.react(options.seconds)
        return until is not None and await until.is_met()

    met = await clock.advance(seconds, None if settling is None and until is None else look)
    return Stepped(clock.now(), met or until is None)


def _is_news(event: ObjectEvent) -> bool:
    if event.key.startswith(_HEARTBEATS):
        return False
    return not (event.type == "updated" and event.key.startswith(_NODES))
