from collections.abc import Iterator

import httpx
import pytest

from memkube.admission.available import selected_plugins
from memkube.server import Server
from memkube.settings import Settings


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with the plugins that read other objects, and the controller that makes service accounts."""
    plugins = selected_plugins("PodPreset,ServiceAccount", "")
    with Server(Settings(controllers=("service-account",), admission_plugins=plugins)).in_thread() as running:
        yield running


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """Talks HTTP to this server, which a client of all tests is not to be left with."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=20) as connected:
        yield connected


@pytest.fixture
def pods(client: httpx.Client, namespace: str) -> str:
    """The address of the pods in the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/pods"
