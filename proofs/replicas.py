"""A race on two servers that share an etcd, while servers are killed, and etcd is killed, paused or disconnected."""

import asyncio
import random
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.etcd_server import EtcdServer, Link, linked

from proofs.engines import Server
from proofs.races import Race, Result, run

_REPLICAS: Final = 2
_STILL: Final = 1.0
"""Maximum number of seconds for which etcd is paused or disconnected."""


class Troubles:
    """Causes one failure after another; `counts` has the number of each kind."""

    def __init__(self, etcd: EtcdServer, servers: Sequence[Server], links: Sequence[Link]) -> None:
        self._etcd = etcd
        self._servers = servers
        self._links = links
        self.counts = dict.fromkeys(("kill", "restart_etcd", "pause_etcd", "cut_off"), 0)

    @property
    def happened(self) -> int:
        """Number of failures that are over."""
        return sum(self.counts.values())

    async def go_on(self, chance: random.Random, done: Callable[[], int]) -> None:
        """Cause random failures, each after a random number of operations, until cancelled.

        `done` returns the number of operations so far.
        """
        while True:
            enough = done() + chance.randrange(50, 300)
            while done() < enough:  # noqa: ASYNC110  clients do not signal progress
                await asyncio.sleep(0.005)
            which = chance.choice(tuple(self.counts))
            await {
                "kill": self._kill,
                "restart_etcd": self._restart_etcd,
                "pause_etcd": self._pause_etcd,
                "cut_off": self._cut_off,
            }[which](chance)
            self.counts[which] += 1

    async def _kill(self, chance: random.Random) -> None:
        server = chance.choice(self._servers)
        server.kill()
        await asyncio.shield(asyncio.to_thread(server.start))

    async def _restart_etcd(self, chance: random.Random) -> None:
        await asyncio.shield(asyncio.to_thread(self._etcd.restart))

    async def _pause_etcd(self, chance: random.Random) -> None:
        with self._etcd.paused():
            await asyncio.sleep(chance.uniform(0, _STILL))

    async def _cut_off(self, chance: random.Random) -> None:
        link = chance.choice(self._links)
        link.cut()
        try:
            await asyncio.sleep(chance.uniform(0, _STILL))
        finally:
            link.mend()


async def race_on_replicas(wanted: Race, troubles: int) -> tuple[Result, Troubles]:
    """Run a race on two servers with a link each to one etcd, and with at least `troubles` failures."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memkube-proof-"))
        etcd = EtcdServer(Path(folder) / "etcd")
        stack.callback(etcd.kill)
        links = [await stack.enter_async_context(linked(etcd.endpoint)) for _ in range(_REPLICAS)]
        servers = [Server(("--storage", f"etcd:http://{link.endpoint}")) for link in links]
        for server in servers:
            stack.push(server.__exit__)
            await asyncio.to_thread(server.start)
        trouble = Troubles(etcd, servers, links)
        race = replace(wanted, over=lambda: trouble.happened >= troubles)
        result = await run([server.address for server in servers], race, trouble.go_on if troubles else None)
        # Stop the servers while the links still work, because a server writes to etcd as it stops.
        for server in servers:
            await asyncio.to_thread(server.stop)
        return result, trouble
