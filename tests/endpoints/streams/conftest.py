from collections.abc import Iterator

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.endpoints.streams.node import Node, running_pod


@pytest.fixture(scope="session")
def node() -> Node:
    """The simulated node of the pods."""
    return Node()


@pytest.fixture(scope="session")
def server(node: Node) -> Iterator[Server]:
    """A server whose pods run on `node`."""
    started = Server(Settings(controllers=()))
    started.registry.kind_services.node_connections = lambda: node
    with started.in_thread() as running:
        yield running


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected


@pytest.fixture
def pod(client: httpx.Client, namespace: str) -> str:
    """The URL path of a pod on `node`."""
    return running_pod(client, namespace)
