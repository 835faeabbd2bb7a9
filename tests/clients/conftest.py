from pathlib import Path

import pytest

from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from tests.clients.kubectl import Kubectl


@pytest.fixture
def kubectl(server: Server, namespace: str, tmp_path: Path) -> Kubectl:
    """kubectl, with the test's namespace as default."""
    kubeconfig = tmp_path / "kubeconfig"
    write_kubeconfig(kubeconfig, server.url)
    return Kubectl(kubeconfig, namespace)
