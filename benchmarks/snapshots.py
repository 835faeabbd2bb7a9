"""How long it takes to save a server and to restore it, with all controllers and a thousand objects."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import memkube

OBJECTS: Final = 1_000
_TIMES: Final = 10


@dataclass(frozen=True, slots=True)
class SnapshotMeasurement:
    """Medians, each in seconds."""

    taken: float
    restored: float
    """Where nothing has changed since."""
    brought_back: float
    """Where every object has been deleted since."""
    settled: float
    """From the restore until the controllers have looked at everything again."""


def measure_snapshots(rounds: int) -> SnapshotMeasurement:
    """Asks a server in this process, as a test does."""
    taken, restored, brought_back, settled = [], [], [], []
    with memkube.Memkube(clock="stepped") as kube:
        empty = kube.snapshot()
        kube.apply([_config_map(number) for number in range(OBJECTS)], timeout=120)
        full = kube.snapshot()
        for _ in range(rounds * _TIMES):
            taken.append(_seconds(kube.snapshot))
            restored.append(_seconds(lambda: kube.restore(full)))
            settled.append(restored[-1] + _seconds(kube.snapshot))
            kube.restore(empty)
            kube.snapshot()
            brought_back.append(_seconds(lambda: kube.restore(full)))
            kube.snapshot()
    return SnapshotMeasurement(*map(statistics.median, (taken, restored, brought_back, settled)))


def _config_map(number: int) -> dict[str, Any]:
    metadata = {"name": f"map-{number}", "labels": {"app": "web"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"number": str(number)}}


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
