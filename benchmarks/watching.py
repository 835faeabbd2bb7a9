"""Time from a write until the last of many watchers has the event."""

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
    """Seconds from just before a write until its event has arrived."""

    watchers: int
    each: tuple[float, float]
    """Median and 99th percentile over all watchers and changes."""
    last: tuple[float, float]
    """Median and 99th percentile over all changes of the time until the last watcher has the event."""
    client_share: float
    """Share of the time in which the measuring process itself was busy; near 1, the figures measure the client."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """The request that starts a watch, and a function that makes the write whose event contains a given marker."""

    address: Address
    watch: bytes
    change: Callable[[int, str], bytes]


async def measure_watch_latency(workload: Workload, bare: Address, watchers: int) -> tuple[WatchLatency, WatchLatency]:
    """Return the latency of the server, and of a bare server that sends the same bytes."""
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
    """Make changes one at a time, each after the previous one has reached every watcher."""
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
            # The first change is left out: it includes work that the server does only once.
            if number:
                latencies.append([arrived - started for arrived in everywhere.times])
    each = [latency for of_change in latencies for latency in of_change]
    last = [max(of_change) for of_change in latencies]
    return WatchLatency(count, _summary(each), _summary(last), working / waiting)


def _summary(seconds: Sequence[float]) -> tuple[float, float]:
    return statistics.median(seconds), statistics.quantiles(seconds, n=100)[98]


class _Arrivals:
    """The times at which each of `count` watchers saw a marker."""

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
    """A watch that searches its events for one marker at a time."""

    def __init__(self, watch: bytes) -> None:
        self._watch = watch
        self._transport: asyncio.Transport | None = None
        self._tail = b""
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once the first bytes of the response have arrived."""
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
