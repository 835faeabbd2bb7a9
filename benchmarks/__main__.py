"""Run all benchmarks once and print a table: ``python -m benchmarks [--against URL --token T]``."""

import argparse
import ssl
from contextlib import ExitStack
from urllib.parse import urlsplit

import uvloop

from benchmarks.embedding import measure_embedding
from benchmarks.growth import FEW_SIZES, print_growth
from benchmarks.load import Address
from benchmarks.manifests import MANIFESTS, measure_validation
from benchmarks.processes import BARE, MEMKUBE, MEMKUBE_SANDBOX, serving
from benchmarks.report import (
    heading,
    print_embedding,
    print_sandbox,
    print_snapshots,
    print_startup,
    print_throughput,
    print_validation,
    print_watch_latency,
)
from benchmarks.sandbox import measure_sandbox
from benchmarks.services import print_services
from benchmarks.snapshots import measure_snapshots
from benchmarks.startup import measure_startup
from benchmarks.throughput import measure_throughput
from benchmarks.watching import WATCHERS, measure_watch_latency
from benchmarks.workload import Workload


def main() -> None:
    """Measure a memkube server started for this run, or the server given on the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--against", metavar="URL", help="measure this API server instead of memkube")
    parser.add_argument("--token", default="", help="bearer token for that server")
    parser.add_argument("--insecure", action="store_true", help="accept any certificate of that server")
    parser.add_argument("--rounds", type=int, default=3, help="number of times to take each measurement (%(default)s)")
    parser.add_argument("--pods", type=int, default=5_000, help="number of pods to run (%(default)s)")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        bare = stack.enter_context(serving(BARE)).address
        if arguments.against:
            address = _address(arguments.against, arguments.token, insecure=arguments.insecure)
        else:
            address = stack.enter_context(serving(MEMKUBE)).address
        workload = stack.enter_context(Workload.prepared(address))
        print(heading(arguments.against or "memkube"))
        for measured in measure_throughput(workload, bare, arguments.rounds):
            print_throughput(measured)
        for watchers in WATCHERS:
            print_watch_latency(*uvloop.run(measure_watch_latency(workload, bare, watchers)))
    if not arguments.against:
        rounds = arguments.rounds
        print_startup(
            measure_startup(MEMKUBE, rounds), measure_startup(BARE, rounds), measure_startup(MEMKUBE_SANDBOX, rounds)
        )
        print_embedding(measure_embedding())
        print_validation(MANIFESTS, measure_validation(rounds))
        print_snapshots(measure_snapshots(rounds))
        print_sandbox(measure_sandbox(arguments.pods))
        print()
        print_growth(FEW_SIZES)
        print()
        print_services()


def _address(url: str, token: str, *, insecure: bool) -> Address:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SystemExit(f"benchmarks: {url} is not the address of a server that speaks HTTP")
    if parts.scheme == "http":
        return Address(parts.hostname, parts.port or 80, token=token)
    tls = ssl.create_default_context()
    if insecure:
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    return Address(parts.hostname, parts.port or 443, tls, token)


main()
