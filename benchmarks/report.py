"""Rows of the printed table."""

from benchmarks.embedding import TESTS, TESTS_WITH_PODS, Embedding
from benchmarks.sandbox import NODES, SandboxMeasurement
from benchmarks.snapshots import OBJECTS, SnapshotMeasurement
from benchmarks.startup import Startup
from benchmarks.throughput import Throughput
from benchmarks.watching import WatchLatency

_MEBIBYTE = 2**20


def heading(server: str) -> str:
    """Return the header row."""
    return _line("", server, "bare uvicorn", "ratio")


def print_throughput(measured: Throughput) -> None:
    """Print a row of requests per second."""
    ratio = f"{measured.server / measured.bare:.2f}"
    print(_line(measured.name, f"{measured.server:,.0f}/s", f"{measured.bare:,.0f}/s", ratio), flush=True)


def print_watch_latency(server: WatchLatency, bare: WatchLatency) -> None:
    """Print rows of milliseconds, and a row with the load of the measuring process."""
    watchers = f"{server.watchers:,} watchers"
    for name, of_server, of_bare in (
        (f"write to {watchers}", server.each, bare.each),
        (f"to the last of {watchers}", server.last, bare.last),
    ):
        for percentile, held, bare_held in zip(("p50", "p99"), of_server, of_bare, strict=True):
            ratio = f"{bare_held / held:.2f}"
            print(_line(f"{name}, {percentile}", f"{held * 1000:.1f} ms", f"{bare_held * 1000:.1f} ms", ratio))
    print(_line("  the client at work", f"{server.client_share:.0%}", f"{bare.client_share:.0%}", ""), flush=True)


def print_startup(server: Startup, bare: Startup, sandbox: Startup) -> None:
    """Print rows for the time to the first answer and the memory of an idle process; `sandbox` also has a node."""
    print(_line("start with node and all", f"{sandbox.seconds:.2f} s", "", ""))
    ratio = f"{server.seconds / bare.seconds:.2f}"
    print(_line("start to first answer", f"{server.seconds:.2f} s", f"{bare.seconds:.2f} s", ratio))
    if server.resident_bytes and bare.resident_bytes:
        held, bare_held = server.resident_bytes / _MEBIBYTE, bare.resident_bytes / _MEBIBYTE
        print(_line("memory when idle", f"{held:.0f} MiB", f"{bare_held:.0f} MiB", f"{held / bare_held:.2f}"))


def print_sandbox(measured: SandboxMeasurement) -> None:
    """Print rows for running pods: the rate at which they start, and their processor time and memory."""
    name = f"{measured.pods:,} pods on {NODES} nodes"
    print(_line(name, f"{measured.pods / measured.seconds:,.0f} pods/s", "", ""))
    if measured.idle_share is not None:
        print(_line("  idle while they run", f"{measured.idle_share:.1%} of a core", "", ""))
    if measured.resident_bytes is not None:
        print(_line("  memory while they run", f"{measured.resident_bytes / _MEBIBYTE:.0f} MiB", "", ""))


def print_validation(manifests: int, seconds: float) -> None:
    """Print a row for manifests that are validated without a cluster."""
    print(_line(f"validate {manifests} manifests", f"{seconds:.2f} s", "", ""), flush=True)


def print_snapshots(measured: SnapshotMeasurement) -> None:
    """Print rows of milliseconds for saving and restoring a server."""
    for name, seconds in (
        (f"snapshot of {OBJECTS:,} objects", measured.taken),
        (f"restore of {OBJECTS:,} objects", measured.restored),
        ("  after all were deleted", measured.brought_back),
        ("  until controllers are at rest", measured.settled),
    ):
        print(_line(name, f"{seconds * 1000:.1f} ms", "", ""), flush=True)


def print_embedding(measured: Embedding) -> None:
    """Print rows for clusters inside a Python program, and for tests that have one each."""
    for name, seconds in (("a cluster starts, when warm", measured.started), ("  and stops", measured.stopped)):
        print(_line(name, f"{seconds * 1000:.1f} ms", "", ""))
    for name, seconds in (
        (f"{TESTS} tests with one each", measured.tests_alone),
        ("  and the official client", measured.tests),
        (f"{TESTS_WITH_PODS} tests with a pod that runs", measured.tests_with_pods),
    ):
        print(_line(name, f"{seconds:.1f} s", "", ""), flush=True)


def _line(*cells: str) -> str:
    name, server, bare, ratio = cells
    return f"{name:<36}{server:>22}{bare:>16}{ratio:>8}".rstrip()
