"""Races: 16 clients write the same few objects under injected faults, and their history is checked.

``python -m proofs races`` takes a minute per engine, or more if 200,000 operations take longer.
"""

import asyncio
import math
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from benchmarks.load import Address

from proofs.clients import KIND, NAMESPACES, Client
from proofs.connection import Connection
from proofs.disturbance import Disturbance
from proofs.history import WRITES, History, Watched
from proofs.linearizability import violations
from proofs.watchers import Watcher

CLIENTS: Final = 16
WATCHERS: Final = 8
Trouble: TypeAlias = Callable[[random.Random, Callable[[], int]], Awaitable[None]]
"""Causes failures until it is cancelled. Takes a random generator, and a function that returns the operations so
far."""
_LAST: Final = "the-last"


@dataclass(frozen=True, slots=True)
class Race:
    """Length of a race: until all minimums are reached, or until `most_seconds`."""

    operations: int = 200_000
    seconds: float = 60.0
    seed: int = 0
    over: Callable[[], bool] = lambda: True
    """True once enough failures have been caused."""
    most_seconds: float = math.inf

    def goes_on(self, done: int, seconds: float) -> bool:
        """True if the race continues after this number of operations and seconds."""
        is_all = done >= self.operations and seconds >= self.seconds and self.over()
        return not is_all and seconds < self.most_seconds


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a race."""

    seconds: float
    history: History
    ends: int
    """Number of watches that ended prematurely."""
    wrong: Sequence[str]
    """The violations."""

    def line(self) -> str:
        """Return the figures for the table."""
        operations = self.history.operations
        done = sum(each.verb in WRITES and each.outcome == "done" for each in operations)
        unknown = sum(each.outcome == "unknown" for each in operations)
        gaps = sum(stretch.expired for each in self.history.watched for stretch in each.stretches)
        return (
            f"{len(operations):,} operations in {self.seconds:.0f} s, {done:,} writes acknowledged, {unknown:,} "
            f"without an answer; {self.ends:,} watches ended, {gaps:,} of them expired; {len(self.wrong)} violations"
        )


async def run(addresses: Sequence[Address], race: Race, trouble: Trouble | None = None) -> Result:
    """Run a race on servers that share their objects, with injected faults, and check its history.

    Raises Unexpected if no fault explains a response, and RequestHangs if a response does not arrive in time.
    """
    begun = await _begin(addresses[0])
    clients = [Client(number, Connection(addresses[number % len(addresses)]), race.seed) for number in range(CLIENTS)]
    async with asyncio.TaskGroup() as group:
        watchers = _watchers(addresses, random.Random(race.seed))
        watching: list[asyncio.Task[Watched]] = []
        for watcher in watchers:
            listed = asyncio.Event()
            watching.append(group.create_task(watcher.run(begun=listed)))
            await listed.wait()
        started = time.monotonic()
        disturbance = Disturbance([Connection(each) for each in addresses], clients, watchers, random.Random(race.seed))

        def done() -> int:
            return sum(len(each.operations) for each in clients)

        async with disturbance, _troubled(trouble, random.Random(race.seed), done):
            await asyncio.gather(*(_act(client, race, started, done) for client in clients))
        seconds = time.monotonic() - started
        for namespace in NAMESPACES:
            await clients[0].make(f"{namespace}/{_LAST}")
    final = await clients[0].list()
    assert final is not None
    for client in clients:
        client.connection.close()
    operations = [operation for client in clients for operation in client.operations]
    history = History(begun, operations, [each.result() for each in watching], final.listed, final.revision)
    return Result(seconds, history, sum(each.ends for each in watchers), list(violations(history)))


async def _begin(address: Address) -> int:
    """Create the namespaces; return the revision before the first operation."""
    connection = Connection(address)
    async with AsyncExitStack() as stack:
        stack.callback(connection.close)
        for namespace in NAMESPACES:
            await connection.ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        listed = await connection.ask("GET", f"/api/v1/{KIND}")
        return int(listed.json()["metadata"]["resourceVersion"])


def _watchers(addresses: Sequence[Address], chance: random.Random) -> list[Watcher]:
    """Return watchers of all and of single namespaces, and for each server a recorder, which no fault affects."""
    hit = [
        Watcher(
            Connection(addresses[number % len(addresses)]),
            namespace := ("", *NAMESPACES)[number % 3],
            f"{namespace or NAMESPACES[-1]}/{_LAST}",
            away=lambda: chance.choice((0.0, 0.05, 1.0)),
        )
        for number in range(WATCHERS)
    ]
    return hit + [Watcher(Connection(each, "recorder"), last=f"{NAMESPACES[-1]}/{_LAST}") for each in addresses]


async def _act(client: Client, race: Race, started: float, done: Callable[[], int]) -> None:
    while race.goes_on(done(), time.monotonic() - started):
        await client.act()


@asynccontextmanager
async def _troubled(trouble: Trouble | None, chance: random.Random, done: Callable[[], int]) -> AsyncIterator[None]:
    if trouble is None:
        yield
        return
    task = asyncio.ensure_future(trouble(chance, done))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
