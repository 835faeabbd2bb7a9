"""Time to save and restore a server with all controllers and a thousand objects."""

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
    """Medians in seconds."""

    taken: float
    restored: float
    """Time to restore if nothing has changed since the snapshot."""
    brought_back: float
    """Time to restore if every object has been deleted since the snapshot."""
    settled: float
    """Time from the start of the restore until the controllers have processed all objects again."""


def measure_snapshots(rounds: int) -> SnapshotMeasurement:
    """Measure a server in this process, as a test would start one."""
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
