"""Growth of the cost of Services with their number.

``python -m benchmarks.services`` runs pods behind Services at three sizes, each on a server of its own, and prints a
Markdown table. The figures are processor time of the server, which does not depend on the load of the machine.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Final

import uvloop

from benchmarks.growth import Growth, print_table
from benchmarks.load import request, send_many
from benchmarks.processes import ServerProcess, serving
from benchmarks.workload import call

SIZES: Final = (2_500, 5_000, 10_000)
PODS_OF_A_SERVICE: Final = 20
_NODES: Final = 100
_TIMES: Final = 7
_POLL_SECONDS: Final = 0.5
_PATIENCE_SECONDS: Final = 900.0
_SERVER: Final = ("memkube", "serve", "--port", "0", "--nodes", str(_NODES), "--kubeconfig", os.devnull)
_SERVICES: Final = "/api/v1/namespaces/default/services"
_RANGES: Final = "/apis/networking.k8s.io/v1/servicecidrs"
_PODS: Final = "/api/v1/namespaces/default/pods"
_SLICES: Final = (
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name"
)
_OWN: Final = f"{_SLICES}!%3Dkubernetes"
_NOT_RUNNING: Final = f"{_PODS}?fieldSelector=status.phase!%3DRunning&limit=1"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.services", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of pods (%(default)s)")
    print_services(int(size) for size in parser.parse_args().sizes.split(","))


def print_services(sizes: Iterable[int] = SIZES) -> None:
    """Measure each number of pods, and print the table."""
    print_table(f"pods, {PODS_OF_A_SERVICE} behind each Service", [_measure(pods) for pods in sizes])


def _measure(pods: int) -> Growth:
    services = pods // PODS_OF_A_SERVICE
    with serving(_SERVER) as server:
        _add_range(server)
        uvloop.run(send_many(server.address, _service, 0, services))
        before = server.worked_seconds()
        uvloop.run(send_many(server.address, lambda number: _pod(number, number % services), 0, pods))
        _wait(lambda: not json.loads(call(server.address, "GET", _NOT_RUNNING))["items"])
        _wait(lambda: _ready_endpoints(server) == pods)
        worked = server.worked_seconds() - before
        changes = [_replace(server, number) for number in range(_TIMES)]
        cells = {
            "work for each pod until it runs and has an endpoint": f"{worked / pods * 1e3:.1f} ms",
            "work for a deletion until the endpoint is gone": f"{statistics.median(changes) * 1e3:.1f} ms",
            "peak of memory": f"{(server.peak_bytes() or 0) / 2**20:.0f} MiB",
        }
    return Growth(pods, cells)


def _add_range(server: ServerProcess) -> None:
    """Add a range of cluster IPs, because the one of a new server has 254 addresses."""
    added = {"metadata": {"name": "many"}, "spec": {"cidrs": ["10.96.0.0/16"]}}
    call(server.address, "POST", _RANGES, json.dumps(added).encode())
    _wait(lambda: "conditions" in json.loads(call(server.address, "GET", f"{_RANGES}/many"))["status"])


def _replace(server: ServerProcess, number: int) -> float:
    """Delete the pod `number`. Return the processor time until its Service has one endpoint less, in seconds."""
    before = server.worked_seconds()
    call(server.address, "DELETE", f"{_PODS}/pod-{number}?gracePeriodSeconds=0")
    path = f"{_SLICES}%3Dservice-{number}"
    _wait(lambda: _ready_endpoints(server, path) < PODS_OF_A_SERVICE)
    return server.worked_seconds() - before


def _ready_endpoints(server: ServerProcess, path: str = _OWN) -> int:
    slices = json.loads(call(server.address, "GET", path))["items"]
    return sum(one["conditions"]["ready"] for found in slices for one in found["endpoints"] or ())


def _wait(is_done: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not is_done():
        if time.monotonic() - began > _PATIENCE_SECONDS:
            raise SystemExit("benchmarks: the Services do not get the endpoints of all pods")
        time.sleep(_POLL_SECONDS)


def _service(number: int) -> bytes:
    spec = {"selector": {"app": f"app-{number}"}, "ports": [{"port": 80, "targetPort": 8080}]}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"service-{number}"}, "spec": spec}
    return request("POST", _SERVICES, json.dumps(service).encode())


def _pod(number: int, service: int) -> bytes:
    container = {"name": "app", "image": "registry.example/web:1.27", "ports": [{"containerPort": 8080}]}
    metadata = {"name": f"pod-{number}", "labels": {"app": f"app-{service}"}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    return request("POST", _PODS, json.dumps(pod).encode())


if __name__ == "__main__":
    main()
