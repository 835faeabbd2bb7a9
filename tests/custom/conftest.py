from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.clients.kubectl import Kubectl
from tests.custom.gadgets import gadgets


@pytest.fixture
def server() -> Iterator[Server]:
    """A new server that serves the custom kind of gadgets from its start."""
    with Server(Settings(controllers=())).in_thread() as running:
        running.call(lambda: running.registry.catalog.serve(gadgets()))
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as connected:
        yield connected


@pytest.fixture
def kubectl(server: Server, tmp_path: Path) -> Kubectl:
    kubeconfig = tmp_path / "kubeconfig"
    write_kubeconfig(kubeconfig, server.url)
    return Kubectl(kubeconfig, "default")
