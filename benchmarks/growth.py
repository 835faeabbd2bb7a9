"""Growth of cost with the number of objects and watchers.

``python -m benchmarks.growth`` measures the same requests at three numbers of pods, and writes with a growing number of
watchers, and prints two Markdown tables. Each size has a server of its own, which creates its pods through its
registry. Requests are measured over HTTP, each read after a write, so that no cached response is reused. The figures
are processor time of the server, which does not depend on the load of the machine.
"""

import argparse
import asyncio
import json
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

from benchmarks.growth_server import GROUP, filled_server
from benchmarks.load import Address, request
from benchmarks.processes import ServerProcess
from benchmarks.workload import call

SIZES: Final = (1_000, 10_000, 100_000)
FEW_SIZES: Final = (500, 2_000, 8_000)
WATCHERS: Final = (10, 100, 1_000)
_TIMES: Final = 15
_PODS: Final = "/api/v1/pods"
_FIRST: Final = "/api/v1/namespaces/ns-00000/pods/pod-000000"
_PAGE: Final = 500
_BODY_BEGINS: Final = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Growth:
    """Measurements at one size: the cells of one column of the table."""

    pods: int
    cells: dict[str, str]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="benchmarks.growth", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of pods (%(default)s)")
    parser.add_argument("--nodes", type=int, default=0, help="simulated nodes, with all controllers (%(default)s)")
    arguments = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}\n")
    print_growth([int(size) for size in arguments.sizes.split(",")], arguments.nodes)


def print_growth(sizes: Iterable[int], nodes: int = 0) -> None:
    """Measure, and print both tables; if `nodes` is not 0, print the table of memory use only."""
    if nodes:
        print_table("pods", [_measure_running(size, nodes) for size in sizes])
        return
    print_table("pods", [_measure(size) for size in sizes])
    print()
    print_table("watchers of other nodes", _measure_watchers())


def print_table(what: str, measured: list[Growth]) -> None:
    """Print a Markdown table with a column for each size; `what` names the objects that a size counts."""
    print("| | " + " | ".join(f"{growth.pods:,} {what}" for growth in measured) + " |")
    print("| --- |" + " ---: |" * len(measured))
    for name in measured[0].cells:
        print(f"| {name} | " + " | ".join(growth.cells[name] for growth in measured) + " |", flush=True)


def _measure(pods: int) -> Growth:
    with filled_server(pods) as (server, filling):
        cells = {"create, by the registry": f"{filling.seconds / pods * 1e6:.0f} µs"}
        cells["memory per pod beside its JSON"] = _beside_json(server, filling.resident, filling.json_bytes, pods)
        by_node = f"{_PODS}?fieldSelector=" + quote("spec.nodeName=node-0003")
        by_label = f"{_PODS}?labelSelector=" + quote("app=app-0003")
        for name, path in (
            ("GET", _FIRST),
            (f"list a namespace of {GROUP}", "/api/v1/namespaces/ns-00003/pods"),
            (f"list {GROUP} by spec.nodeName", by_node),
            (f"list {GROUP} by a label", by_label),
            ("list none by status.phase!=Pending", f"{_PODS}?fieldSelector=" + quote("status.phase!=Pending")),
        ):
            cells[name] = _milliseconds(_read(server, path))
        cells["patch"] = _milliseconds(lambda: _touch(server))
        cells[f"a page of {_PAGE} behind a write"], cells["all pages"] = _pages(server, pods)
        cells["watch from scratch, sendInitialEvents"] = _watch_from_scratch(server, pods)
        cells["peak of memory"] = f"{(server.peak_bytes() or 0) / 2**20:.0f} MiB"
        return Growth(pods, cells)


def _measure_running(pods: int, nodes: int) -> Growth:
    with filled_server(pods, nodes) as (server, filling):
        waiting = f"{_PODS}?limit=1&fieldSelector=" + quote("status.phase!=Running")
        while json.loads(call(server.address, "GET", waiting))["items"]:
            time.sleep(1)
        took = server.worked_seconds()
        listed = call(server.address, "GET", _PODS)
        beside = _beside_json(server, filling.resident, len(listed) / pods, pods)
        peak = f"{(server.peak_bytes() or 0) / 2**20:.0f} MiB"
        return Growth(
            pods,
            {
                f"work until all run on {nodes} nodes": f"{took:.1f} s",
                "memory per pod beside its JSON": beside,
                "peak of memory": peak,
            },
        )


def _beside_json(server: ServerProcess, empty: int, json_bytes: float, pods: int) -> str:
    each = ((server.resident_bytes() or 0) - empty) / pods - json_bytes
    return f"{each / 1024:.1f} KiB (JSON: {json_bytes / 1024:.1f})"


def _read(server: ServerProcess, path: str) -> Callable[[], float]:
    def read() -> float:
        _touch(server)
        return _worked(server, lambda: call(server.address, "GET", path))

    return read


def _worked(server: ServerProcess, work: Callable[[], object]) -> float:
    """Return the processor time of the server during `work`, in seconds."""
    before = server.worked_seconds()
    work()
    return server.worked_seconds() - before


def _touch(server: ServerProcess) -> float:
    """Patch one pod; return the processor time of the server in seconds."""
    body = json.dumps({"metadata": {"annotations": {"touched": str(time.time())}}}).encode()
    patch = request("PATCH", _FIRST, body, "application/merge-patch+json")
    return _worked(server, lambda: asyncio.run(_send(server.address, patch)))


async def _send(address: Address, prepared: bytes) -> None:
    stream, writer = await asyncio.open_connection(address.host, address.port)
    writer.write(prepared)
    answer = await stream.readuntil(_BODY_BEGINS)
    writer.close()
    if not answer.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"benchmarks: {answer!r}")


def _milliseconds(measure: Callable[[], float]) -> str:
    measure()
    return f"{statistics.median(measure() for _ in range(_TIMES)) * 1e3:.1f} ms"


def _pages(server: ServerProcess, pods: int) -> tuple[str, str]:
    """Return the median time of one page and the total time of all pages; a pod is changed before each page."""
    token, seconds, found = "", list[float](), 0
    while True:
        before = server.worked_seconds()
        page = json.loads(call(server.address, "GET", f"{_PODS}?limit={_PAGE}&continue={quote(token)}"))
        seconds.append(server.worked_seconds() - before)
        found += len(page["items"])
        token = page["metadata"].get("continue", "")
        if not token:
            break
        _touch(server)
    if found != pods:
        raise SystemExit(f"benchmarks: {found} pods on all pages instead of {pods}")
    return f"{statistics.median(seconds) * 1e3:.1f} ms", f"{sum(seconds):.2f} s"


def _watch_from_scratch(server: ServerProcess, pods: int) -> str:
    options = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
    before = server.worked_seconds()
    seen = asyncio.run(_count_events(server.address, f"{_PODS}?{options}"))
    if seen != pods:
        raise SystemExit(f"benchmarks: {seen} initial events instead of {pods}")
    return f"{server.worked_seconds() - before:.2f} s"


async def _count_events(address: Address, path: str) -> int:
    """Return the number of initial events before the bookmark that ends them."""
    stream, writer = await asyncio.open_connection(address.host, address.port)
    writer.write(request("GET", path))
    seen, tail = 0, b""
    while data := await stream.read(2**20):
        text = tail + data
        seen += text.count(b'{"type":"ADDED"')
        if b'"k8s.io/initial-events-end":"true"' in text:
            break
        tail = text[-len(b'{"type":"ADDED"') + 1 :]
    writer.close()
    return seen


def _measure_watchers() -> list[Growth]:
    measured = []
    with filled_server(FEW_SIZES[0]) as (server, _):
        for watchers in WATCHERS:
            with _watching(server.address, watchers):
                cells = {"patch of a pod that none of them wants": _milliseconds(lambda: _touch(server))}
            measured.append(Growth(watchers, cells))
    return measured


@contextmanager
def _watching(address: Address, watchers: int) -> Iterator[None]:
    """Hold watches open, each with a field selector for a different node."""
    loop = asyncio.new_event_loop()
    writers = loop.run_until_complete(_open_watches(address, watchers))
    try:
        yield
    finally:
        for writer in writers:
            writer.close()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


async def _open_watches(address: Address, watchers: int) -> list[asyncio.StreamWriter]:
    version = json.loads(call(address, "GET", f"{_PODS}?limit=1"))["metadata"]["resourceVersion"]
    writers = []
    for number in range(watchers):
        selector = quote(f"spec.nodeName=elsewhere-{number}")
        stream, writer = await asyncio.open_connection(address.host, address.port)
        writer.write(request("GET", f"{_PODS}?watch=true&resourceVersion={version}&fieldSelector={selector}"))
        await stream.readuntil(_BODY_BEGINS)
        writers.append(writer)
    return writers


if __name__ == "__main__":
    main()
