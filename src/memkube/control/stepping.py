"""Advances the clock of a server from one timer of the server to the next, until a condition (a goal) is met."""

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


class Goal(Protocol):
    """A condition that stops the advance of a clock once it is reached."""

    async def is_reached(self) -> bool:
        """Return True if the clock must stop, because the condition is met now."""


class ObjectState:
    """Goal that is reached when an object meets a condition. The object need not exist yet."""

    def __init__(self, store: Store, namespace: str, name: str, holds: Holds) -> None:
        self._store = store
        self._namespace = namespace if store.resource.namespaced else ""
        self._name = name
        self._holds = holds

    async def is_reached(self) -> bool:
        try:
            stored = await self._store.get(self._namespace, self._name)
        except ApiError as error:
            if error.code != _NOT_FOUND:
                raise
            return self._holds(None)
        return self._holds(stored.document)


class Quiet:
    """Goal that is reached after a period without writes, by the server's clock.

    Writes of Leases and Events, and updates of Nodes, do not count.
    """

    def __init__(self, registry: Registry, seconds: float) -> None:
        self._new_events = registry.new_events()
        self._clock = registry.clock
        self._seconds = timedelta(seconds=seconds)
        self._since = registry.clock.now()

    async def is_reached(self) -> bool:
        """Return True if there was no write for the required time, apart from Leases, Events and updates of Nodes.

        Raises RevisionCompacted if writes since the last call have been compacted.
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
    """The time to which the clock was advanced, and whether the goal was reached."""

    now: datetime
    met: bool
    """True if the goal was reached, or if there was no goal."""


async def step(
    parts: ServerParts, clock: SteppedClock, seconds: float, goal: Goal | None, options: SettleOptions
) -> Stepped:
    """Advance the clock from one timer of the server to the next until the goal is reached, but at most by `seconds`.

    Before each step, wait until the clients in `options` have settled (see `Settling`). Returns the new time, and
    whether the goal was reached. Raises ApiError 504 if the clients do not settle in time.
    """
    settling = Settling(parts, options.clients, options.quiet) if options.clients else None

    async def look() -> bool:
        if settling is not None:
            await settling.react(options.seconds)
        return goal is not None and await goal.is_reached()

    met = await clock.advance(seconds, None if settling is None and goal is None else look)
    return Stepped(clock.now(), met or goal is None)


def _is_news(event: ObjectEvent) -> bool:
    if event.key.startswith(_HEARTBEATS):
        return False
    return not (event.type == "updated" and event.key.startswith(_NODES))
