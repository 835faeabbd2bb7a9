"""Disturbances during a race, made by the servers' own fault injection."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any, Final

from proofs.clients import KIND, NAMESPACES, Client
from proofs.connection import Connection, ConnectionLost
from proofs.watchers import Watcher

_FAULTS: Final = "/memkube/v1/faults"
_MATCH: Final = {"resources": [KIND], "userAgents": ["proof"]}
_RULES: Final[Sequence[dict[str, Any]]] = (
    {"when": {"probability": 0.02, "seed": 1}, "effect": {"type": "delay", "seconds": 0.01, "clock": "wall"}},
    {"when": {"probability": 0.005, "seed": 2}, "effect": {"type": "drop"}},
    {"when": {"probability": 0.005, "seed": 3}, "effect": {"type": "drop", "afterWrite": True}},
    {"effect": {"type": "closeWatch", "how": "dropped", "afterEvents": 997}},
)
_FAILED: Final = 500
_COMPACTIONS: Final = 0.2
"""Probability that a disturbance of the watches also compacts the history."""


class Disturbance:
    """Delays requests, drops connections, ends watches and compacts the history during a block.

    Connections are dropped before or after a request is carried out. Watches end with each of the possible endings.
    """

    def __init__(
        self,
        servers: Sequence[Connection],
        clients: Sequence[Client],
        watchers: Sequence[Watcher],
        chance: random.Random,
    ) -> None:
        self._servers = servers
        self._clients = clients
        self._recorders = watchers[-len(servers) :]
        self._chance = chance
        self._task: asyncio.Task[None] | None = None
        self._marks = 0

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._disturb_watches())

    async def __aexit__(self, *error: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])
        for server in self._servers:
            server.close()
            with suppress(ConnectionLost):
                await server.ask("DELETE", _FAULTS)
            server.close()
        if not self._task.cancelled():
            self._task.result()

    async def _disturb_watches(self) -> None:
        while True:
            server = self._chance.choice(self._servers)
            try:
                await _add_rules(server)
                await asyncio.sleep(self._chance.uniform(0.2, 0.6))
                if self._chance.random() < _COMPACTIONS:
                    await self._compact(server)
                how = self._chance.choice(("cleanly", "expired", "dropped"))
                await _tell(server, f"{_FAULTS}/close-watches", {"match": _MATCH, "effect": {"how": how}})
            except ConnectionLost:
                await asyncio.sleep(0.1)

    async def _compact(self, server: Connection) -> None:
        """Compact the history once a recorder has seen all of it.

        Watchers that have not seen all events must list again, and without a recorder nothing would show what they
        missed.
        """
        async with AsyncExitStack() as stack:
            for client in self._clients:
                await stack.enter_async_context(client.turn)
            self._marks += 1
            mark = await self._clients[0].make(f"{NAMESPACES[0]}/mark-{self._marks}")
            while all(recorder.reached < mark for recorder in self._recorders):  # noqa: ASYNC110  recorders do not signal progress
                await asyncio.sleep(0.01)
            await _tell(server, f"{_FAULTS}/compact-history", {})


async def _add_rules(server: Connection) -> None:
    """Add the rules for faults to a server that has none, for example after a restart."""
    answer = await server.ask("GET", _FAULTS)
    if not answer.json()["items"]:
        for rule in _RULES:
            await _tell(server, _FAULTS, {"match": _MATCH, **rule})


async def _tell(server: Connection, path: str, body: object) -> None:
    """Post to the control API. Raises ConnectionLost, also if the server cannot reach its etcd."""
    answer = await server.ask("POST", path, body)
    if answer.status == _FAILED and b"etcd does not answer" in answer.body:
        raise ConnectionLost
    assert answer.status in (200, 201), answer.body
