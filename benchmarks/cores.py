"""What a second core could bring: ``python -m benchmarks.cores``; needs `wrk`, whose own work is small.

Two servers that hold the same objects and share nothing, each asked by half of the connections, read faster than any
two processes that share a socket and follow one event log: those do the same, and keep up with each other besides. So
their rate bounds what worker processes could reach.
"""

import argparse
import re
import shutil
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from benchmarks.load import CONNECTIONS
from benchmarks.processes import MEMKUBE, serving
from benchmarks.workload import FEW, MANY, Workload

READS: Final[dict[str, Callable[[Workload], str]]] = {
    "GET a pod": lambda workload: f"{workload.pods('few')}/pod-1",
    f"LIST {FEW} pods": lambda workload: workload.pods("few"),
    f"LIST {MANY:,} pods": lambda workload: workload.pods("many"),
}
_RATE: Final = re.compile(r"Requests/sec:\s+([\d.]+)")


@dataclass(frozen=True, slots=True)
class Reads:
    """How many requests were answered in a second, at the median of the rounds."""

    name: str
    one_process: float
    two_processes: float


def measure_reads(workloads: Sequence[Workload], rounds: int, seconds: int) -> Iterator[Reads]:
    """Asks the first server alone and all of them together, in turns. Raises SystemExit where one refuses."""
    for name, path in READS.items():
        alone, together = [], []
        for _ in range(rounds):
            alone.append(_rate(workloads[:1], path, seconds))
            together.append(_rate(workloads, path, seconds))
        yield Reads(name, statistics.median(alone), statistics.median(together))


def _rate(workloads: Sequence[Workload], path: Callable[[Workload], str], seconds: int) -> float:
    """The answers a second of all servers; they share the connections."""
    connections = CONNECTIONS // len(workloads)
    clients = []
    for workload in workloads:
        url = f"http://{workload.address.host}:{workload.address.port}{path(workload)}"
        command = ["wrk", "--threads", "1", "--connections", str(connections), "--duration", f"{seconds}s", url]
        clients.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    answers = 0.0
    for report in [client.communicate()[0] for client in clients]:
        found = _RATE.search(report)
        if found is None or "Non-2xx" in report:
            raise SystemExit(f"benchmarks: wrk says\n{report}")
        answers += float(found[1])
    return answers


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(prog="benchmarks.cores", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each measurement is taken (%(default)s)")
    parser.add_argument("--seconds", type=int, default=4, help="how long each lasts (%(default)s)")
    arguments = parser.parse_args()
    if not shutil.which("wrk"):
        raise SystemExit("benchmarks: wrk is not installed")
    with ExitStack() as stack:
        servers = [stack.enter_context(serving(MEMKUBE)) for _ in range(2)]
        workloads = [stack.enter_context(Workload.prepared(server.address)) for server in servers]
        print(f"{'':<24}{'one process':>14}{'two':>14}{'ratio':>8}")
        for reads in measure_reads(workloads, arguments.rounds, arguments.seconds):
            ratio = reads.two_processes / reads.one_process
            print(
                f"{reads.name:<24}{reads.one_process:>12,.0f}/s{reads.two_processes:>12,.0f}/s{ratio:>8.2f}", flush=True
            )


if __name__ == "__main__":
    main()
