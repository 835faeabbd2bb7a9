"""Takes snapshots of a server that runs, and restores it to them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from memkube.apimachinery.errors import ApiError, Details
from memkube.apimachinery.model import Document
from memkube.apis.authentication.v1.tokens.issuer import TokenIssuer
from memkube.controllers.framework.runtime import RestoredState, States
from memkube.controllers.framework.saved_values import BEHAVIORS, FAILED_NODES, NODES, CannotBeSaved
from memkube.controllers.manager import ControllerManager
from memkube.hooks.services import Listener, Listeners, ServicePort
from memkube.registry.registry import Registry
from memkube.registry.replicas.shared_listeners import replace_listeners
from memkube.snapshots.snapshot import Snapshot
from memkube.time.clock import Clock, ScaledClock, SteppedClock

_LISTENERS: Final = "listeners"
_KEYS: Final = "token-keys"
_BEFORE_CONTROLLERS_START: Final = 0.002
_LOGGER: Final = logging.getLogger("memkube.snapshots")


class Snapshots:
    """All of a server's state: objects, clock, listeners, and what its controllers remember. Found in the registry.

    Its coroutines belong to the server's thread, and wait for each other.
    """

    def __init__(
        self,
        registry: Registry,
        listeners: Listeners,
        token_issuer: TokenIssuer,
        own: ControllerManager,
        chosen: ControllerManager,
    ) -> None:
        """`own` runs the controllers of the API server itself, `chosen` all others."""
        self._registry = registry
        self._listeners = listeners
        self._token_issuer = token_issuer
        self._own = own
        self._chosen = chosen
        self._turn = asyncio.Lock()
        self._starting: asyncio.Task[None] | None = None

    async def take(self) -> Snapshot:
        """Everything as it is at one instant; on a stepped clock, once all is at rest.

        Raises ApiError 409 for a simulated program that has done more in one go than can be played again.
        """
        async with self._turn, _still(self._registry.clock):
            if isinstance(self._registry.clock, SteppedClock):
                await self._registry.clock.activity.at_rest()
            return await self._taken()

    async def restore(self, snapshot: Snapshot) -> None:
        """Has the server be as it was. The objects are there when it returns, and custom kinds are served.

        Controllers begin anew, as after a restart, and find out what there is to do; what they remembered is what the
        snapshot keeps. A stepped or a scaled clock shows the saved instant again. A real one cannot: time has passed,
        as for a cluster that is brought back from a backup, and what fell due meanwhile happens now. Raises ApiError
        422, and leaves everything as it is, where what was read from a file makes no sense, and 501 where storage is
        shared with others.
        """
        self._registry.check_restorable()
        async with self._turn, _still(self._registry.clock):
            await self.settled()
            before = await self._taken() if snapshot.is_read else None
            await self._stop()
            try:
                await self._become(snapshot)
            except (AttributeError, KeyError, TypeError, ValueError) as fault:
                if before is None:
                    raise
                await self._stop()
                await self._become(before)
                why = f"{type(fault).__name__}: {fault}"
                raise ApiError(422, "Invalid", f"the snapshot makes no sense: {why}", Details()) from None
            finally:
                await self._own.start()
                await self._own.at_rest("definitions")
                self._registry.clock.activity.begin()
                self._starting = asyncio.create_task(self._start())

    async def settled(self) -> None:
        """Returns when the controllers work again that a restore has stopped."""
        if self._starting is not None:
            await asyncio.wait([self._starting])

    async def _start(self) -> None:
        try:
            # Whoever has asked for the restore gets his answer before the controllers read everything.
            await asyncio.sleep(_BEFORE_CONTROLLERS_START)
            await self._chosen.start()
        except Exception:
            _LOGGER.exception("the controllers could not be started again")
        finally:
            self._registry.clock.activity.end()

    async def _stop(self) -> None:
        await self._chosen.stop()
        await self._own.stop()

    async def _become(self, snapshot: Snapshot) -> None:
        kept = await bring_back(self._registry, self._token_issuer, snapshot)
        self._own.make(kept)
        self._chosen.make(kept)

    async def _taken(self) -> Snapshot:
        try:
            states = self._remembered()
        except CannotBeSaved as container:
            raise ApiError(409, "Conflict", f"{container} has done too much in one go to be saved", Details()) from None
        return Snapshot(await self._registry.save(), self._registry.clock.now(), _name(self._registry.clock), states)

    def _remembered(self) -> dict[str, Sequence[Document]]:
        """What is no object. Raises CannotBeSaved."""
        states: dict[str, Sequence[Document]] = {**self._own.saved(), **self._chosen.saved()}
        states[_LISTENERS] = [
            {"service": tuple(service), "host": listener.host, "port": listener.port}
            for service, listener in self._listeners.items()
        ]
        if key := self._token_issuer.saved():
            states[_KEYS] = [{"pem": key}]
        return states


async def bring_back(registry: Registry, token_issuer: TokenIssuer, snapshot: Snapshot) -> RestoredState:
    """Restores what is no controller's: the clock, the objects, and who listens behind services.

    Returns what controllers are to remember. Nobody may be at work meanwhile.
    """
    clock = registry.clock
    if isinstance(clock, SteppedClock | ScaledClock):
        clock.set(snapshot.now)
    moved = await registry.restore(snapshot.objects)
    await _bring_back_state(registry, token_issuer, snapshot.states)
    return RestoredState(snapshot.states, moved)


async def _bring_back_state(registry: Registry, token_issuer: TokenIssuer, states: States) -> None:
    """What servers share. Raises ValueError, TypeError and KeyError."""
    state = registry.shared_state
    listening = {ServicePort(*one["service"]): Listener(one["host"], one["port"]) for one in states.get(_LISTENERS, ())}
    await replace_listeners(state, listening)
    await state.replace(BEHAVIORS, {one["name"]: one["rule"] for one in states.get(BEHAVIORS, ())})
    await state.replace(FAILED_NODES, {one["name"]: {} for one in states.get(NODES, ()) if one["failed"]})
    for one in states.get(_KEYS, ()):
        await token_issuer.restore(one["pem"])


@asynccontextmanager
async def _still(clock: Clock) -> AsyncIterator[None]:
    """Nobody moves the clock."""
    if isinstance(clock, SteppedClock):
        async with clock.still():
            yield
    else:
        yield


def _name(clock: Clock) -> str:
    if isinstance(clock, ScaledClock):
        return f"x{clock.factor:g}"
    return "stepped" if isinstance(clock, SteppedClock) else "real"
