"""Collects the state of a running server in a snapshot, and replaces the state by that of a snapshot."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from memkube.apimachinery.errors import ApiError, Details
from memkube.apimachinery.model import Document
from memkube.apis.authentication.v1.tokens.issuer import TokenIssuer
from memkube.controllers.framework.runtime import RestoredState, States
from memkube.controllers.framework.saved_values import (
    ADDED_NODES,
    BEHAVIORS,
    FAILED_NODES,
    METRIC_VALUES,
    NODE_POOLS,
    NODES,
    PARTITIONED_NODES,
    REMOVED_NODES,
    SIGNING_AUTHORITY,
    CannotBeSaved,
)
from memkube.controllers.manager import ControllerManager
from memkube.hooks.services import Listener, Listeners, ServicePort
from memkube.registry.registry import Registry
from memkube.registry.replicas.shared_listeners import replace_listeners
from memkube.registry.replicas.shared_state import SharedState
from memkube.snapshots.snapshot import Snapshot
from memkube.time.clock import Clock, ScaledClock, SteppedClock

_LISTENERS: Final = "listeners"
_KEYS: Final = "token-keys"
_BEFORE_CONTROLLERS_START: Final = 0.002
_LOGGER: Final = logging.getLogger("memkube.snapshots")


class Snapshots:
    """Saves and restores the objects, the clock, the state of the controllers, and other state of a server.

    The coroutines run in the server's thread. A call waits until an earlier one has finished.
    """

    def __init__(
        self,
        registry: Registry,
        listeners: Listeners,
        token_issuer: TokenIssuer,
        own: ControllerManager,
        chosen: ControllerManager,
    ) -> None:
        """Create the object that saves and restores the server's state.

        `listeners` has the addresses of servers outside of the cluster that receive the requests to some Service ports.
        `own` runs the controllers that are part of kube-apiserver, and `chosen` the controllers that the user can
        select, such as those of kube-controller-manager.
        """
        self._registry = registry
        self._listeners = listeners
        self._token_issuer = token_issuer
        self._own = own
        self._chosen = chosen
        self._turn = asyncio.Lock()
        self._starting: asyncio.Task[None] | None = None

    async def take(self) -> Snapshot:
        """Return a snapshot of the present state.

        If the clock is stepped (it moves only when a client advances it), first wait until the controllers are idle.
        Raises ApiError 409 if a simulated program has run for so many steps that it cannot be replayed.
        """
        async with self._turn, _still(self._registry.clock):
            if isinstance(self._registry.clock, SteppedClock):
                await self._registry.clock.activity.at_rest()
            return await self._taken()

    async def restore(self, snapshot: Snapshot) -> None:
        """Restore `snapshot`, which this server took or which was read from a file.

        On return, its objects exist and its custom kinds are served. The controllers are created again, as after a
        restart, with their state from the snapshot. The clock is set to the time of the snapshot, unless it is the real
        clock. For the real clock, time has passed since the snapshot, as when a cluster is restored from a backup, so
        timers that were due since then fire at once.

        The content of a file is not trusted, so the present state is saved first. Raises ApiError:

        - 422 if the file contains invalid data; the saved state is then restored,
        - 409 if the present state cannot be saved (see `take`); nothing is restored then,
        - 501 if the storage is etcd, into which other servers may write.
        """
        self._registry.check_restorable()
        async with self._turn, _still(self._registry.clock):
            await self.wait_for_controllers()
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
                raise ApiError(422, "Invalid", f"the snapshot contains invalid data: {why}", Details()) from None
            finally:
                await self._own.start()
                await self._own.at_rest("definitions")
                self._registry.clock.activity.begin()
                self._starting = asyncio.create_task(self._start())

    async def wait_for_controllers(self) -> None:
        """Wait until the controllers run again after a restore."""
        if self._starting is not None:
            await asyncio.wait([self._starting])

    async def _start(self) -> None:
        try:
            # The pause lets the response to the restore be sent before the controllers list all objects.
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
        kept = await restore_snapshot(self._registry, self._token_issuer, snapshot)
        self._own.make(kept)
        self._chosen.make(kept)

    async def _taken(self) -> Snapshot:
        try:
            states = self._remembered()
        except CannotBeSaved as container:
            raise ApiError(
                409, "Conflict", f"the program of {container} has run for too long to be saved in a snapshot", Details()
            ) from None
        return Snapshot(await self._registry.save(), self._registry.clock.now(), _name(self._registry.clock), states)

    def _remembered(self) -> dict[str, Sequence[Document]]:
        """Return the state of the server that is not stored in objects.

        Each controller, or other part of the server, with such state has a list of JSON data in the result, under its
        name. Raises CannotBeSaved if the state of a simulated program cannot be saved.
        """
        states: dict[str, Sequence[Document]] = {**self._own.saved(), **self._chosen.saved()}
        states[_LISTENERS] = [
            {"service": tuple(service), "host": listener.host, "port": listener.port}
            for service, listener in self._listeners.items()
        ]
        states[METRIC_VALUES] = [
            {"name": name, "value": value} for name, value in self._registry.shared_state.items(METRIC_VALUES).items()
        ]
        if authority := self._registry.shared_state.get(SIGNING_AUTHORITY, ""):
            states[SIGNING_AUTHORITY] = [authority]
        if key := self._token_issuer.saved():
            states[_KEYS] = [{"pem": key}]
        return states


async def restore_snapshot(registry: Registry, token_issuer: TokenIssuer, snapshot: Snapshot) -> RestoredState:
    """Restore the clock, the objects, the nodes and the signing keys from a snapshot; return the state of controllers.

    `token_issuer` gets the restored signing key of service account tokens.
    No controller may run during the call.
    """
    clock = registry.clock
    if isinstance(clock, SteppedClock | ScaledClock):
        clock.set(snapshot.now)
    moved = await registry.restore(snapshot.objects)
    await _restore_state(registry, token_issuer, snapshot.states)
    return RestoredState(snapshot.states, moved)


async def _restore_state(registry: Registry, token_issuer: TokenIssuer, states: States) -> None:
    """Restore from `states` the state that is not stored in objects, except the state of the controllers.

    It consists of the addresses of servers outside of the cluster that receive the requests to Service ports, the rules
    for container behaviour, metric values, nodes and signing keys.

    Raises ValueError, TypeError or KeyError if the data is invalid.
    """
    state = registry.shared_state
    listening = {ServicePort(*one["service"]): Listener(one["host"], one["port"]) for one in states.get(_LISTENERS, ())}
    await replace_listeners(state, listening)
    await state.replace(BEHAVIORS, {one["name"]: one["rule"] for one in states.get(BEHAVIORS, ())})
    await state.replace(METRIC_VALUES, {one["name"]: one["value"] for one in states.get(METRIC_VALUES, ())})
    await _restore_nodes(state, states)
    for one in states.get(SIGNING_AUTHORITY, ()):
        await state.put(SIGNING_AUTHORITY, "", {"certificate": one["certificate"], "key": one["key"]})
    for one in states.get(_KEYS, ()):
        await token_issuer.restore(one["pem"])


async def _restore_nodes(state: SharedState, states: States) -> None:
    """Restore which simulated nodes were added, removed, stopped or cut off from the network.

    The data is copied from `states`, the saved data, to `state`, from which servers with the same storage read it when
    they start.
    """
    nodes = states.get(NODES, ())
    removed = [name for pool in states.get(NODE_POOLS, ()) for name in pool["removed"]]
    location_fields = ("pool", "number", "zone")
    added = {one["name"]: {key: one[key] for key in location_fields} for one in nodes if one.get("added")}
    await state.replace(FAILED_NODES, {one["name"]: {} for one in nodes if one["failed"]})
    await state.replace(PARTITIONED_NODES, {one["name"]: {} for one in nodes if one.get("partitioned")})
    await state.replace(ADDED_NODES, added)
    await state.replace(REMOVED_NODES, {name: {} for name in removed})


@asynccontextmanager
async def _still(clock: Clock) -> AsyncIterator[None]:
    """Keep a stepped clock, which moves only when a client advances it, still until the block ends.

    Other clocks keep running.
    """
    if isinstance(clock, SteppedClock):
        async with clock.still():
            yield
    else:
        yield


def _name(clock: Clock) -> str:
    if isinstance(clock, ScaledClock):
        return f"x{clock.factor:g}"
    return "stepped" if isinstance(clock, SteppedClock) else "real"
