"""Memory of a server while large objects are written and half of its watchers never read.

``python -m benchmarks.memory`` prints the resident memory at intervals, and fails if the peak exceeds the limit.
"""

import argparse
import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Final

import uvloop

from benchmarks.load import Address, repeated, request, send_many
from benchmarks.processes import MEMKUBE, ServerProcess, serving

LIMIT: Final = 400 * 2**20
_READERS: Final = 25
_DEAF: Final = 25
_OBJECT_BYTES: Final = 1_000_000
_KEPT: Final = 8
"""Number of ConfigMaps that exist at the same time."""
_ROUNDS: Final = 10
"""Number of patches after which a ConfigMap is deleted and created again."""
_REPORT_SECONDS: Final = 10.0
_PATH: Final = "/api/v1/namespaces/default/configmaps"


def main() -> None:
    """Start a server, write for some minutes, and exit with status 1 if the peak exceeds the limit."""
    parser = argparse.ArgumentParser(prog="benchmarks.memory", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="minutes to write (%(default)s)")
    peak, end = measure_memory(parser.parse_args().minutes * 60)
    print(f"peak {_mebibytes(peak)}, end {_mebibytes(end)}, limit {_mebibytes(LIMIT)}")
    raise SystemExit(peak > LIMIT)


def measure_memory(seconds: float) -> tuple[int, int]:
    """Write to a server for `seconds`; return the peak and the final resident memory in bytes."""
    with serving(MEMKUBE) as server:
        uvloop.run(write_large(server.address, _reported(server, seconds)))
        return server.peak_bytes() or 0, server.resident_bytes() or 0


async def write_large(address: Address, numbers: Iterable[int]) -> None:
    """Create, patch or delete a watched ConfigMap of 1 MB for each number, counted from 0.

    Half of the watchers read events as fast as they can, the other half never read. Raises RequestFailed if a change is
    refused.
    """
    async with _watched(address):
        for number in numbers:
            for change in _changes(number):
                await send_many(address, repeated(change), 0, 1)


def _changes(number: int) -> Iterator[bytes]:
    name = f"large-{number % _KEPT}"
    turn = number // _KEPT
    body = {"metadata": {"name": name}, "data": {"content": f"{number:010}" * (_OBJECT_BYTES // 10)}}
    if turn % _ROUNDS:
        yield request("PATCH", f"{_PATH}/{name}", json.dumps(body).encode(), "application/merge-patch+json")
        return
    if turn:
        yield request("DELETE", f"{_PATH}/{name}")
    yield request("POST", _PATH, json.dumps(body).encode())


@asynccontextmanager
async def _watched(address: Address) -> AsyncIterator[None]:
    """Hold the watches open during the block."""
    begun = [asyncio.Event() for _ in range(_READERS + _DEAF)]
    watchers = [
        asyncio.create_task(_watch(address, event, reads=number < _READERS)) for number, event in enumerate(begun)
    ]
    try:
        await asyncio.gather(*(event.wait() for event in begun))
        yield
    finally:
        for watcher in watchers:
            watcher.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)


async def _watch(address: Address, begun: asyncio.Event, *, reads: bool) -> None:
    """Watch, and start the watch again if the server ends it."""
    while True:
        stream, writer = await asyncio.open_connection(address.host, address.port)
        try:
            writer.write(request("GET", f"{_PATH}?watch=true"))
            await stream.readuntil(b"\r\n\r\n")
            begun.set()
            if not reads:
                await asyncio.Event().wait()
            while await stream.read(2**20):
                pass
        except ConnectionError:
            pass
        finally:
            writer.close()


def _reported(server: ServerProcess, seconds: float) -> Iterator[int]:
    """Yield numbers for `seconds`, and print the memory of the server at intervals."""
    started = time.monotonic()
    next_report, number = 0.0, 0
    while (passed := time.monotonic() - started) < seconds:
        if passed >= next_report:
            print(f"{passed:6.0f} s {number:8,} writes {_mebibytes(server.resident_bytes() or 0):>10}", flush=True)
            next_report += _REPORT_SECONDS
        yield number
        number += 1


def _mebibytes(held: int) -> str:
    return f"{held / 2**20:.0f} MiB"


if __name__ == "__main__":
    main()
