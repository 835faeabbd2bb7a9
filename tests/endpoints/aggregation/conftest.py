from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.endpoints.aggregation.echo import Echo
from tests.endpoints.aggregation.extension import Extension, api_service, listening, register, settled


@pytest.fixture(scope="package")
def server(extension: Extension) -> Iterator[Server]:
    """A server for these tests alone, because APIServices change its discovery."""
    with Server(Settings(controllers=())).in_thread() as running:
        yield running


@pytest.fixture(scope="package")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected


@pytest.fixture(scope="package")
def application() -> Echo:
    return Echo()


@pytest.fixture(scope="package")
def extension(application: Echo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Extension]:
    folder: Path = tmp_path_factory.mktemp("extension")
    with listening(application, folder) as running:
        yield running


@pytest.fixture(scope="package")
def echo(client: httpx.Client, extension: Extension) -> httpx.Client:
    """A client of the server, which proxies an API group to the extension API server."""
    delegate(client, extension)
    return client


def delegate(client: httpx.Client, extension: Extension) -> None:
    """Proxy an API group to the extension API server."""
    register(client, extension)
    body = api_service(caBundle=extension.ca_bundle)
    client.post("/apis/apiregistration.k8s.io/v1/apiservices", json=body).raise_for_status()
    settled(client, body["metadata"]["name"])
