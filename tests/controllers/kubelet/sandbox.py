"""A cluster with one simulated node, to which pods are bound when they are created."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from memkube.apimachinery.model import Document
from memkube.controllers.kubelet.containers.behavior import ContainerRule
from memkube.controllers.kubelet.controller import Kubelet
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.controllers.options import ControllerOptions
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, running

SHELL = "busybox:1.36"


class Sandbox:
    """Runs pods on ``node-1``, and reads their state."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.began = cluster.clock.now()

    async def run(self, *scripts: str, name: str = "web", metadata: Document | None = None, **spec: Any) -> None:
        """Create a pod with a container for each shell script (``c0``, ``c1``, …)."""
        containers = [container(f"c{index}", script) for index, script in enumerate(scripts)]
        await self.create(name, metadata, **{"containers": containers, **spec})

    async def create(self, name: str = "web", metadata: Document | None = None, **spec: Any) -> None:
        """Create a pod."""
        document = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, **(metadata or {})},
            "spec": {"nodeName": "node-1", **spec},
        }
        await self.cluster.create(document)

    async def advance(self, seconds: float) -> None:
        await self.cluster.clock.advance(seconds)

    async def pod(self, name: str = "web") -> Document | None:
        return await self.cluster.get("pods", name)

    async def status(self, name: str = "web") -> Document:
        pod = await self.pod(name)
        assert pod is not None
        status: Document = pod["status"]
        return status

    async def container(self, name: str = "c0", pod: str = "web") -> Document:
        """Return the status of a container, an init container or an ephemeral container."""
        status = await self.status(pod)
        lists = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
        return next(c for field in lists for c in status.get(field) or () if c["name"] == name)

    async def condition(self, condition: str, pod: str = "web") -> tuple[str, str, str]:
        """Return the status, reason and message of a condition."""
        found = next(c for c in (await self.status(pod))["conditions"] if c["type"] == condition)
        return found["status"], found.get("reason", ""), found.get("message", "")

    async def events(self, *reasons: str) -> list[str]:
        """Return the messages of the events with these reasons, or of all events, in order."""
        events = (await self.cluster.store("events").list("default", ListOptions())).items
        found = sorted((e.document for e in events), key=lambda e: int(e["metadata"]["resourceVersion"]))
        return [
            e["message"]
            for e in found
            if e["involvedObject"]["kind"] == "Pod" and (not reasons or e["reason"] in reasons)
        ]

    async def rule(self, **rule: Any) -> None:
        """Create or replace the behavior rule named ``rule``."""
        self.kubelet.rules.put("rule", ContainerRule.model_validate(rule))

    @property
    def kubelet(self) -> Kubelet:
        assert self.cluster.manager.kubelet is not None
        return self.cluster.manager.kubelet

    @property
    def nodes(self) -> SimulatedNodes:
        return self.kubelet.nodes

    def seconds(self, written: str) -> float:
        """Return an instant of the API as seconds since the start of the sandbox."""
        return (datetime.fromisoformat(written) - self.began).total_seconds()


def container(name: str, script: str = "", **fields: Any) -> Document:
    """Return a container that runs a script, or one that runs until it is stopped."""
    command = {"command": ["sh", "-c", script]} if script else {}
    return {"name": name, "image": SHELL, **command, **fields}


def sidecar(name: str, script: str = "", **fields: Any) -> Document:
    return container(name, script, restartPolicy="Always", **fields)


@asynccontextmanager
async def sandbox(*controllers: str, **options: Any) -> AsyncIterator[Sandbox]:
    """Run a sandbox during the block; the options are those of ControllerOptions."""
    async with running("kubelet", *controllers, options=ControllerOptions(**options)) as cluster:
        yield Sandbox(cluster)
