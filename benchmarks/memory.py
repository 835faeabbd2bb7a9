"""What a server holds while large objects are written and half of its watchers never read.

``python -m benchmarks.memory`` prints its resident memory as it goes, and fails where that goes past the limit.
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
"""How many ConfigMaps there are at a time."""
_ROUNDS: Final = 10
"""After so many patches a ConfigMap is deleted and made anew."""
_REPORT_SECONDS: Final = 10.0
_PATH: Final = "/api/v1/namespaces/default/configmaps"


def main() -> None:
    """Starts a server, writes for some minutes, and exits with 1 where the peak is past the limit."""
    parser = argparse.ArgumentParser(prog="benchmarks.memory", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to write (%(default)s)")
    peak, end = measure_memory(parser.parse_args().minutes * 60)
    print(f"peak {_mebibytes(peak)}, end {_mebibytes(end)}, limit {_mebibytes(LIMIT)}")
    raise SystemExit(peak > LIMIT)


def measure_memory(seconds: float) -> tuple[int, int]:
    """The most bytes that a server held while it was written to for so long, and those that it held in the end."""
    with serving(MEMKUBE) as server:
        uvloop.run(write_large(server.address, _reported(server, seconds)))
        return server.peak_bytes() or 0, server.resident_bytes() or 0


async def write_large(address: Address, numbers: Iterable[int]) -> None:
    """Makes one change of a ConfigMap of 1 MB for each number, counted from 0, under the eyes of all watchers.

    Half of them read what comes as fast as they can, the others never do. Raises RequestFailed where a change is
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
    """Holds the watches open until the block is left."""
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
    """Watches, and does so again where the server has ended it."""
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
    """Numbers for as long as that, with a line of memory now and then."""
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
