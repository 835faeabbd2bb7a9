"""Upper bound for the gain from worker processes: ``python -m benchmarks.cores``; requires `wrk`.

Measures two servers that hold the same objects and share nothing, each serving half of the connections. Two worker
processes that share a socket and follow one event log do the same work and must synchronise as well, so their rate
cannot exceed the rate measured here. wrk is the client because it takes little processor time itself.
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
    """Requests answered per second, median of the rounds."""

    name: str
    one_process: float
    two_processes: float


def measure_reads(workloads: Sequence[Workload], rounds: int, seconds: int) -> Iterator[Reads]:
    """Measure the first server alone and all servers together, in alternation. Raises SystemExit if a request fails."""
    for name, path in READS.items():
        alone, together = [], []
        for _ in range(rounds):
            alone.append(_rate(workloads[:1], path, seconds))
            together.append(_rate(workloads, path, seconds))
        yield Reads(name, statistics.median(alone), statistics.median(together))


def _rate(workloads: Sequence[Workload], path: Callable[[Workload], str], seconds: int) -> float:
    """Return the requests answered per second by all servers together; the connections are divided among them."""
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
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.cores", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="number of times to take each measurement (%(default)s)")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each measurement (%(default)s)")
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
