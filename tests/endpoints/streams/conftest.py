from collections.abc import Iterator

import httpx
import pytest

from memkube.apis.core.v1.pods.node_connections import NodeConnections
from memkube.server import Server
from memkube.settings import Settings
from tests.endpoints.streams.node import Node

_CONTAINERS = [{"name": "app", "image": "busybox"}]


@pytest.fixture(scope="session")
def node() -> Node:
    """What runs the pods."""
    return Node()


@pytest.fixture(scope="session")
def server(node: Node) -> Iterator[Server]:
    """A server whose pods are run by `node`."""
    started = Server(Settings(controllers=()))
    started.registry.provide(NodeConnections, node)
    with started.in_thread() as running:
        yield running


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=20) as connected:
        connected.post("/api/v1/nodes", json={"metadata": {"name": "node-1"}}).raise_for_status()
        yield connected


@pytest.fixture
def pod(client: httpx.Client, namespace: str) -> str:
    """The address of a pod that the node runs."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"nodeName": "node-1", "containers": _CONTAINERS}
    client.post(path, json={"metadata": {"name": "web"}, "spec": spec}).raise_for_status()
    client.patch(
        f"{path}/web/status",
        json={"status": {"phase": "Running"}},
        headers={"content-type": "application/merge-patch+json"},
    ).raise_for_status()
    return f"{path}/web"
