"""How long a change takes from the writer to each of many watchers."""

import asyncio
import json
import statistics
import time
from dataclasses import dataclass
from typing import Final, cast

from benchmarks.load import repeated, request, send_many
from benchmarks.workload import FEW, Workload

WATCHERS: Final = 100
_CHANGES: Final = 50
_PATIENCE: Final = 30.0


@dataclass(frozen=True, slots=True)
class WatchLatency:
    """Seconds between the moment before a write and the arrival of its event."""

    median: float
    percentile_99: float


async def measure_watch_latency(workload: Workload) -> WatchLatency:
    """Makes changes one by one, each after the last has reached every watcher."""
    path = workload.pods("few")
    version = json.loads(workload.call("GET", path))["metadata"]["resourceVersion"]
    watch = request("GET", f"{path}?watch=true&resourceVersion={version}")
    loop, address = asyncio.get_running_loop(), workload.address
    watchers = []
    for _ in range(WATCHERS):
        _, watcher = await loop.create_connection(lambda: _Watcher(watch), address.host, address.port)
        watchers.append(watcher)
    latencies: list[float] = []
    try:
        for number in range(_CHANGES):
            marker = f"latency-{number}"
            arrivals = [watcher.expect(marker) for watcher in watchers]
            body = json.dumps({"metadata": {"annotations": {"marker": marker}}}).encode()
            change = request("PATCH", f"{path}/pod-{number % FEW}", body, "application/merge-patch+json")
            started = time.perf_counter()
            await send_many(address, repeated(change), 0, 1)
            times = await asyncio.wait_for(asyncio.gather(*arrivals), _PATIENCE)
            # The first change waits for the watches to begin.
            if number:
                latencies += [arrived - started for arrived in times]
    finally:
        for watcher in watchers:
            watcher.close()
    return WatchLatency(statistics.median(latencies), statistics.quantiles(latencies, n=100)[98])


class _Watcher(asyncio.Protocol):
    """A watch that looks for one marker at a time."""

    def __init__(self, watch: bytes) -> None:
        self._watch = watch
        self._transport: asyncio.Transport | None = None
        self._marker = b""
        self._tail = b""
        self._arrival: asyncio.Future[float] | None = None

    def expect(self, marker: str) -> "asyncio.Future[float]":
        self._marker, self._tail = f'"{marker}"'.encode(), b""
        self._arrival = asyncio.get_running_loop().create_future()
        return self._arrival

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._watch)

    def data_received(self, data: bytes) -> None:
        if self._arrival is None or self._arrival.done():
            return
        seen = self._tail + data
        if self._marker in seen:
            self._arrival.set_result(time.perf_counter())
        self._tail = seen[-len(self._marker) :]

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
