"""Time from the start of a server to its first answer, and its memory while idle."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.processes import serving
from benchmarks.workload import call


@dataclass(frozen=True, slots=True)
class Startup:
    """Medians over several starts."""

    seconds: float
    """Seconds from the start of the process to its first answer."""
    resident_bytes: float | None


def measure_startup(module: Sequence[str], rounds: int) -> Startup:
    """Start and stop the server `rounds` times."""
    seconds: list[float] = []
    resident: list[int] = []
    for _ in range(rounds):
        started = time.perf_counter()
        with serving(module) as server:
            call(server.address, "GET", "/version")
            seconds.append(time.perf_counter() - started)
            if (held := server.resident_bytes()) is not None:
                resident.append(held)
    return Startup(statistics.median(seconds), statistics.median(resident) if resident else None)
