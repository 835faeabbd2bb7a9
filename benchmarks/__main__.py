"""Runs all measurements once and prints a table: ``python -m benchmarks [--server URL]``."""

import argparse
from contextlib import ExitStack
from urllib.parse import urlsplit

import uvloop

from benchmarks.load import Address
from benchmarks.processes import BARE, MEMKUBE, MEMKUBE_SANDBOX, serving
from benchmarks.report import heading, print_sandbox, print_startup, print_throughput, print_watch_latency
from benchmarks.sandbox import measure_sandbox
from benchmarks.startup import measure_startup
from benchmarks.throughput import measure_throughput
from benchmarks.watching import measure_watch_latency
from benchmarks.workload import Workload


def main() -> None:
    """Measures memkube, started for this, or the server that the command line names."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--server", help="measure this server instead, such as http://127.0.0.1:8001")
    parser.add_argument("--rounds", type=int, default=3, help="how often each measurement is taken (%(default)s)")
    parser.add_argument("--pods", type=int, default=5_000, help="how many pods are brought to run (%(default)s)")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        bare = stack.enter_context(serving(BARE)).address
        address = _address(arguments.server) if arguments.server else stack.enter_context(serving(MEMKUBE)).address
        workload = stack.enter_context(Workload.prepared(address))
        print(heading(arguments.server or "memkube"))
        for measured in measure_throughput(workload, bare, arguments.rounds):
            print_throughput(measured)
        print_watch_latency(uvloop.run(measure_watch_latency(workload)))
    if not arguments.server:
        rounds = arguments.rounds
        print_startup(
            measure_startup(MEMKUBE, rounds), measure_startup(BARE, rounds), measure_startup(MEMKUBE_SANDBOX, rounds)
        )
        print_sandbox(measure_sandbox(arguments.pods))


def _address(url: str) -> Address:
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise SystemExit(f"benchmarks: {url} is not the address of a server that speaks plain HTTP")
    return Address(parts.hostname, parts.port or 80)


main()
