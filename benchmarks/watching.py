"""How long a change takes from the writer to the last of many watchers."""

import asyncio
import json
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, cast

from benchmarks.load import Address, repeated, request, send_many
from benchmarks.workload import FEW, Workload

WATCHERS: Final = (100, 1_000)
_CHANGES: Final = 50
_PATIENCE: Final = 30.0


@dataclass(frozen=True, slots=True)
class WatchLatency:
    """Seconds from the moment before a write until its event has arrived, at all watchers and at the last one."""

    watchers: int
    each: tuple[float, float]
    """The median and the 99th percentile, over watchers and changes."""
    last: tuple[float, float]
    """The same, over changes."""
    client_share: float
    """What part of the time the measuring process was at work itself: near 1 it measures itself."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """What is watched, and how the change is made that shows a marker."""

    address: Address
    watch: bytes
    change: Callable[[int, str], bytes]


async def measure_watch_latency(workload: Workload, bare: Address, watchers: int) -> tuple[WatchLatency, WatchLatency]:
    """The server's, and that of a bare one which sends the same bytes."""
    path = workload.pods("few")
    version = json.loads(workload.call("GET", path))["metadata"]["resourceVersion"]
    watch = workload.get(f"{path}?watch=true&resourceVersion={version}")
    server = _Watched(workload.address, watch, lambda number, marker: workload.annotate(number % FEW, "marker", marker))
    measured = await _measure(server, watchers)
    pod = workload.call("GET", f"{path}/pod-{_CHANGES - 1}").strip()
    event = b'{"type":"MODIFIED","object":' + pod + b"}\n"
    last_marker = _marker(watchers, _CHANGES - 1).encode()
    same = _Watched(
        bare,
        request("GET", "/?watch=true"),
        lambda _, marker: request("POST", "/event", event.replace(last_marker, marker.encode())),
    )
    return measured, await _measure(same, watchers)


def _marker(watchers: int, number: int) -> str:
    return f"latency-{watchers:06}-{number:04}"


async def _measure(watched: _Watched, count: int) -> WatchLatency:
    """Makes changes one by one, each after the last has reached every watcher."""
    loop, address = asyncio.get_running_loop(), watched.address
    latencies: list[Sequence[float]] = []
    working = waiting = 0.0
    with ExitStack() as stack:
        watchers = []
        for _ in range(count):
            _, watcher = await loop.create_connection(
                lambda: _Watcher(watched.watch), address.host, address.port, ssl=address.tls
            )
            stack.callback(watcher.close)
            watchers.append(watcher)
        await asyncio.wait_for(asyncio.gather(*(watcher.begun for watcher in watchers)), _PATIENCE)
        for number in range(_CHANGES):
            everywhere = _Arrivals(_marker(count, number), count)
            for watcher in watchers:
                watcher.arrivals = everywhere
            change = watched.change(number, _marker(count, number))
            worked, started = time.process_time(), time.perf_counter()
            await send_many(address, repeated(change), 0, 1)
            await asyncio.wait_for(everywhere.complete, _PATIENCE)
            working, waiting = working + time.process_time() - worked, waiting + time.perf_counter() - started
            # The first change also waits for what the server does only once.
            if number:
                latencies.append([arrived - started for arrived in everywhere.times])
    each = [latency for of_change in latencies for latency in of_change]
    last = [max(of_change) for of_change in latencies]
    return WatchLatency(count, _summary(each), _summary(last), working / waiting)


def _summary(seconds: Sequence[float]) -> tuple[float, float]:
    return statistics.median(seconds), statistics.quantiles(seconds, n=100)[98]


class _Arrivals:
    """When each of so many watchers has seen a marker."""

    def __init__(self, marker: str, count: int) -> None:
        self.marker = f'"{marker}"'.encode()
        self.times: list[float] = []
        self.complete: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._count = count

    def add(self) -> None:
        self.times.append(time.perf_counter())
        if len(self.times) == self._count:
            self.complete.set_result(None)


class _Watcher(asyncio.Protocol):
    """A watch that looks for one marker at a time."""

    def __init__(self, watch: bytes) -> None:
        self._watch = watch
        self._transport: asyncio.Transport | None = None
        self._tail = b""
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done with the first bytes of the answer."""
        self.arrivals: _Arrivals | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._watch)

    def data_received(self, data: bytes) -> None:
        if not self.begun.done():
            self.begun.set_result(None)
        if self.arrivals is None:
            return
        seen = self._tail + data
        if self.arrivals.marker in seen:
            self.arrivals.add()
            self.arrivals, seen = None, b""
        self._tail = seen[-64:]

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
