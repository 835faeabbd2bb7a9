"""Rate at which simulated nodes start pods, and the cost of keeping the pods running."""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import uvloop

from benchmarks.load import request, send_many
from benchmarks.processes import serving
from benchmarks.workload import call

NODES = 50
_SETTLE_SECONDS = 2.0
_IDLE_SECONDS = 20.0
_POLL_SECONDS = 0.1
_PATIENCE_SECONDS = 600.0
_SERVER = ("memkube", "serve", "--port", "0", "--nodes", str(NODES), "--kubeconfig", os.devnull)
_NOT_RUNNING = "/api/v1/namespaces/default/pods?fieldSelector=status.phase!%3DRunning&limit=1"


@dataclass(frozen=True, slots=True)
class SandboxMeasurement:
    """Seconds from the first creation until all `pods` run, and the cost of running them afterwards."""

    pods: int
    seconds: float
    idle_share: float | None
    """Share of one core that the server uses while the pods run; None if the system does not report it."""
    resident_bytes: int | None


def measure_sandbox(pods: int) -> SandboxMeasurement:
    """Start a server with nodes, create the pods as fast as the server accepts them, and wait until all of them run."""
    with serving(_SERVER) as server:
        started = time.perf_counter()
        uvloop.run(send_many(server.address, _create, 0, pods))
        while json.loads(call(server.address, "GET", _NOT_RUNNING))["items"]:
            if time.perf_counter() - started > _PATIENCE_SECONDS:
                raise SystemExit("benchmarks: the pods do not all run")
            time.sleep(_POLL_SECONDS)
        seconds = time.perf_counter() - started
        time.sleep(_SETTLE_SECONDS)
        return SandboxMeasurement(pods, seconds, _idle_share(server.pid), server.resident_bytes())


def _create(number: int) -> bytes:
    container = {
        "name": "app",
        "image": "registry.example/web:1.27",
        "ports": [{"containerPort": 8080, "name": "http"}],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
    }
    metadata = {"name": f"pod-{number}", "labels": {"app": "web"}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    return request("POST", "/api/v1/namespaces/default/pods", json.dumps(pod).encode())


def _idle_share(pid: int) -> float | None:
    before = _processor_seconds(pid)
    if before is None:
        return None
    started = time.perf_counter()
    time.sleep(_IDLE_SECONDS)
    after = _processor_seconds(pid)
    return (after - before) / (time.perf_counter() - started) if after is not None else None


def _processor_seconds(pid: int) -> float | None:
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return None
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
