import uuid
from collections.abc import Callable, Iterator

import httpx
import pytest

from memkube.admission.available import PLUGINS, selected_plugins
from memkube.server.server import Server
from memkube.server.settings import Settings


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with the admission plugins that read other objects, and the service account controller."""
    plugins = selected_plugins("PodPreset", "", have_accounts=True)
    with Server(Settings(controllers=("serviceaccount-controller",), admission_plugins=plugins)).in_thread() as running:
        yield running


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """A client of `server`. It replaces the client of the server that all tests share."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as connected:
        yield connected


@pytest.fixture
def pods(client: httpx.Client, namespace: str) -> str:
    """The URL path of the pods in the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/pods"


@pytest.fixture(scope="session")
def strict_server() -> Iterator[Server]:
    """A server with all admission plugins that do not need further configuration."""
    names = (name for name in PLUGINS if name not in ("AlwaysDeny", "PodPreset", "ServiceAccount"))
    with Server(Settings(controllers=(), admission_plugins=tuple(names))).in_thread() as running:
        yield running


@pytest.fixture(scope="session")
def strict(strict_server: Server) -> Iterator[httpx.Client]:
    """A client of `strict_server`."""
    with httpx.Client(base_url=strict_server.url, trust_env=False, timeout=60) as connected:
        yield connected


@pytest.fixture
def strict_pods(strict: httpx.Client) -> str:
    """The URL path of the pods in a new namespace of `strict_server`."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    strict.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
    return f"/api/v1/namespaces/{name}/pods"


@pytest.fixture
def annotate(strict: httpx.Client, strict_pods: str) -> Callable[[str, str], None]:
    """Return a function that annotates the namespace of `strict_pods` for scheduling."""

    def set_annotation(name: str, value: str) -> None:
        body = {"metadata": {"annotations": {f"scheduler.alpha.kubernetes.io/{name}": value}}}
        headers = {"Content-Type": "application/merge-patch+json"}
        strict.patch(strict_pods.removesuffix("/pods"), json=body, headers=headers).raise_for_status()

    return set_annotation
