"""A server that creates pods before it prints its address: ``python -m benchmarks.growth_server PODS NODES``."""

import gc
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.processes import ServerProcess, serving

GROUP: Final = 100
"""Number of pods per namespace, per node and per label value."""
_FILLING_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True)
class Filling:
    """Cost of filling a server."""

    seconds: float
    """Processor time of the server while the pods were created, in seconds."""
    resident: int
    """Resident memory of the server before the pods were created, in bytes."""
    json_bytes: float
    """Average size of one pod as JSON, in bytes."""


@contextmanager
def filled_server(pods: int, nodes: int = 0) -> Iterator[tuple[ServerProcess, Filling]]:
    """Run a server with this number of pods during the block; if `nodes` is not 0, simulated nodes run the pods."""
    with serving(("benchmarks.growth_server", str(pods), str(nodes)), patience=60) as server:
        seconds, resident, json_bytes = server.announcement.split()[1:4]
        yield server, Filling(float(seconds), int(resident), float(json_bytes))


def main() -> None:
    """Serve until SIGINT."""
    from memkube.controllers.options import ControllerOptions  # noqa: PLC0415  benchmarks.growth imports this module but does not need these
    from memkube.server.server import Server  # noqa: PLC0415
    from memkube.server.settings import Settings  # noqa: PLC0415

    pods, nodes = int(sys.argv[1]), int(sys.argv[2])
    with_nodes = Settings(controller_options=ControllerOptions(nodes=nodes))
    server = Server(with_nodes if nodes else Settings(controllers=()))

    def fill() -> None:
        seconds, resident, json_bytes = server.answer(_filled(server, pods, bound=not nodes), _FILLING_SECONDS)
        print(f"{server.url} {seconds} {resident} {json_bytes}", flush=True)

    server.run(threading.Thread(target=fill, daemon=True).start)


async def _filled(server: Any, pods: int, *, bound: bool) -> tuple[float, int, float]:
    """Create the pods; return the processor seconds, the memory before, and the average bytes of JSON per pod."""
    from memkube.registry.declarations.request_options import EVERYTHING, WriteContext  # noqa: PLC0415
    from memkube.time.turns import Turns  # noqa: PLC0415

    registry = server.registry
    namespaces, store = registry.find("", "v1", "namespaces"), registry.find("", "v1", "pods")
    for number in range((pods + GROUP - 1) // GROUP):
        name = {"metadata": {"name": f"ns-{number:05}"}}
        await namespaces.create(namespaces.resource.model.from_document(name), WriteContext(manager="benchmark"))
    form = store.form
    # The first write imports modules and fills caches, which do not count as memory of the pods.
    for number in range(2):
        await store.create(
            form.decode(pod(number, bound=bound)).value,
            WriteContext(namespace="ns-00000", manager="benchmark", dry_run=number == 0),
        )
    gc.collect()
    resident, started, turns = _resident(), time.process_time(), Turns()
    for number in range(pods):
        if number != 1:
            context = WriteContext(namespace=f"ns-{number // GROUP:05}", manager="benchmark")
            await store.create(form.decode(pod(number, bound=bound)).value, context)
            await turns.give()
    seconds = time.process_time() - started
    items = (await store.list("", EVERYTHING)).items
    return seconds, resident, sum(len(stored.data) for stored in items) / pods


def _resident() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def pod(number: int, *, bound: bool) -> dict[str, Any]:
    """Return pod number `number`. A bound pod names a node, which need not exist."""
    group = number // GROUP
    container = {
        "name": "app",
        "image": "registry.example/web:1.27",
        "ports": [{"containerPort": 8080, "name": "http"}],
        "env": [{"name": "MODE", "value": "production"}],
        "resources": {"requests": {"cpu": "10m", "memory": "8Mi"}, "limits": {"memory": "256Mi"}},
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": "http"}},
    }
    labels = {"app": f"app-{group:04}", "tier": "front"}
    metadata = {"name": f"pod-{number:06}", "namespace": f"ns-{group:05}", "labels": labels}
    spec: dict[str, Any] = {"containers": [container]}
    if bound:
        spec["nodeName"] = f"node-{group:04}"
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


if __name__ == "__main__":
    main()
