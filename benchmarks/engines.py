"""Compare the storage engines: ``python -m benchmarks.engines [--against URL --token T --insecure --etcd URL]``.

Prints requests per second over 16 connections, each the median of rounds that alternate between the engines, and the
ratio to the memory engine; then the processor time of the memkube process per request, which is more reliable on a busy
machine. etcd is started from PATH, keeps its data on the same disk as the SQLite file, and syncs each write to disk.
Another API server, for example one that also stores in etcd, can be measured beside them.
"""

import argparse
import secrets
import shutil
import ssl
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import uvloop

from benchmarks.load import Address, MakeRequest, repeated, send_many
from benchmarks.processes import MEMKUBE, ServerProcess, free_port, serving
from benchmarks.workload import FEW, Workload

_ROUNDS: Final = 5
WIDTH: Final = 34
_OTHER: Final = "the other"
Make: TypeAlias = Callable[[Workload], MakeRequest]
ROWS: Final[Mapping[str, tuple[int, Make]]] = {
    "create a pod": (800, lambda workload: workload.create("new")),
    "merge patch": (800, lambda workload: workload.patch()),
    "GET a pod": (4_000, lambda workload: repeated(workload.get(f"{workload.pods('few')}/pod-0"))),
    "GET, as old as may be": (
        4_000,
        lambda workload: repeated(workload.get(f"{workload.pods('few')}/pod-0?resourceVersion=0")),
    ),
    f"LIST {FEW} pods": (1_000, lambda workload: repeated(workload.get(workload.pods("few")))),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.engines", description=__doc__)
    parser.add_argument("--against", metavar="URL", help="measure this API server beside the engines")
    parser.add_argument("--token", default="", help="bearer token for that server")
    parser.add_argument("--insecure", action="store_true", help="accept any certificate of that server")
    parser.add_argument("--etcd", metavar="URL", help="use this etcd, for example that of the other server")
    parser.add_argument(
        "--rounds", type=int, default=_ROUNDS, help="number of times to take each measurement (%(default)s)"
    )
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memkube-engines-")))
        engines = {"memory": "memory", "sqlite": f"sqlite:{folder / 'memkube.db'}"}
        if arguments.etcd:
            engines["etcd"] = f"etcd:{arguments.etcd}"
        elif shutil.which("etcd"):
            engines["etcd"] = f"etcd:{stack.enter_context(_etcd(folder))}"
        servers = {
            name: stack.enter_context(serving((*MEMKUBE, "--storage", storage, *_apart(storage))))
            for name, storage in engines.items()
        }
        addresses = {name: server.address for name, server in servers.items()}
        if arguments.against:
            addresses[_OTHER] = _address(arguments.against, arguments.token, insecure=arguments.insecure)
        print(f"{'':24}" + "".join(f"{name:>{WIDTH}}" for name in addresses))
        workloads = {name: stack.enter_context(filled(address)) for name, address in addresses.items()}
        for row, (count, make) in ROWS.items():
            print_row(row, measured(workloads, servers, (count, make), arguments.rounds))


def _apart(storage: str) -> list[str]:
    """Return the options that give this memkube a key prefix of its own in a shared etcd."""
    return ["--etcd-prefix", f"/memkube-{secrets.token_hex(3)}"] if storage.startswith("etcd:") else []


class _Seen(NamedTuple):
    rate: float
    """Requests per second."""
    worked: float
    """Processor time of the server per request, in microseconds; 0 if unknown."""


def measured(
    workloads: Mapping[str, Workload], servers: Mapping[str, ServerProcess], row: tuple[int, Make], rounds: int
) -> dict[str, _Seen]:
    """Send a row's number of requests to each server in turn; return medians of the rounds."""
    count, make = row
    seen: dict[str, list[_Seen]] = {name: [] for name in workloads}
    for number in range(rounds):
        for name, workload in workloads.items():
            server = servers.get(name)
            before = server.worked_seconds() if server else 0.0
            seconds = uvloop.run(send_many(workload.address, make(workload), number * count, count))
            worked = server.worked_seconds() - before if server else 0.0
            seen[name].append(_Seen(count / seconds, worked / count * 1e6))
    return {name: _Seen(*map(statistics.median, zip(*found, strict=True))) for name, found in seen.items()}


def print_row(row: str, seen_at: Mapping[str, _Seen]) -> None:
    """Print what was seen at each server, and the ratio to the first one."""
    first, cells = next(iter(seen_at.values())), []
    for seen in seen_at.values():
        cell = f"{seen.rate:,.0f}/s ({seen.rate / first.rate:.2f})"
        cells.append(f"{cell}, {seen.worked:,.0f} µs ({seen.worked / first.worked:.2f})" if seen.worked else cell)
    print(f"{row:24}" + "".join(f"{cell:>{WIDTH}}" for cell in cells), flush=True)


@contextmanager
def filled(address: Address) -> Iterator[Workload]:
    """Create a namespace with `FEW` pods and one for new objects; delete them after the block."""
    workload = Workload(address, f"bench-{secrets.token_hex(3)}")
    namespaces = [f"{workload.prefix}-{suffix}" for suffix in ("few", "new")]
    for name in namespaces:
        workload.call("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    try:
        uvloop.run(send_many(address, workload.create("few"), 0, FEW))
        yield workload
    finally:
        for name in namespaces:
            workload.call("DELETE", f"/api/v1/namespaces/{name}")


@contextmanager
def _etcd(folder: Path) -> Iterator[str]:
    """Run an etcd with one member, and yield its URL."""
    clients, peers = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    command = ["etcd", f"--data-dir={folder / 'etcd'}", f"--listen-client-urls={clients}"]
    command += [f"--advertise-client-urls={clients}", f"--listen-peer-urls={peers}"]
    command += [f"--initial-advertise-peer-urls={peers}", f"--initial-cluster=default={peers}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # memkube itself waits for etcd to answer. This wait detects an etcd that exits because its port is taken.
        time.sleep(0.5)
        if process.poll() is not None:
            raise SystemExit("benchmarks: etcd has ended")
        yield clients
    finally:
        process.terminate()
        process.wait()


def _address(url: str, token: str, *, insecure: bool) -> Address:
    parts = urlsplit(url)
    tls = None
    if parts.scheme == "https":
        tls = ssl.create_default_context()
        if insecure:
            tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    return Address(parts.hostname or "127.0.0.1", parts.port or 443, tls, token)


if __name__ == "__main__":
    main()
