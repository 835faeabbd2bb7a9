import uuid
from collections.abc import Callable, Iterator

import httpx
import pytest

from memkube.server.server import Server
from tests.admission.node_restriction.refusals import SPEC


@pytest.fixture
def kubelet(strict_server: Server, name: str) -> Iterator[httpx.Client]:
    """A client of `strict_server` that impersonates the kubelet of a node."""
    headers = {"Impersonate-User": f"system:node:{name}", "Impersonate-Group": "system:nodes"}
    with httpx.Client(base_url=strict_server.url, headers=headers, trust_env=False) as connected:
        yield connected


@pytest.fixture
def name() -> str:
    return f"node-{uuid.uuid4().hex[:6]}"


@pytest.fixture
def make_pod(strict: httpx.Client, strict_pods: str) -> Callable[[str], str]:
    """Return a function that creates a pod on a node and returns the pod's URL path."""

    def make(node: str) -> str:
        body = {"metadata": {"name": "web"}, "spec": {**SPEC, "nodeName": node}}
        strict.post(strict_pods, json=body).raise_for_status()
        return f"{strict_pods}/web"

    return make


@pytest.fixture
def uid(kubelet: httpx.Client, name: str) -> str:
    """The uid of the node that the kubelet has registered."""
    body = {"metadata": {"name": name, "labels": {"kubernetes.io/os": "linux"}}}
    registered: str = kubelet.post("/api/v1/nodes", json=body).raise_for_status().json()["metadata"]["uid"]
    return registered
