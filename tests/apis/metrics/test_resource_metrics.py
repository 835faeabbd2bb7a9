from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memkube.server.app import create_core
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.clients.kubectl import Kubectl, needs_kubectl

METRICS = "/apis/metrics.k8s.io/v1beta1"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {
        "containers": [{"name": "app", "image": "nginx", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]
    },
}


@pytest.fixture(scope="module")
def measured() -> Iterator[Server]:
    """A client of a server with a pod that has run for a minute."""
    with (
        Server(Settings(clock="stepped")).in_thread() as running,
        httpx.Client(base_url=running.url, trust_env=False) as client,
    ):
        client.post("/api/v1/namespaces/default/pods", json=POD).raise_for_status()
        client.post("/memkube/v1/clock/advance", json={"seconds": 60}).raise_for_status()
        yield running


@pytest.fixture
def metrics(measured: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=measured.url + METRICS, trust_env=False) as connected:
        yield connected


def test_a_pod_shows_the_use_of_its_containers(metrics: httpx.Client) -> None:
    found = metrics.get("/namespaces/default/pods/web").json()
    assert (found["kind"], found["window"]) == ("PodMetrics", "15s")
    assert found["containers"] == [{"name": "app", "usage": {"cpu": "100m", "memory": "512Mi"}}]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/pods", ["web"]),
        ("/pods?labelSelector=app%3Dweb", ["web"]),
        ("/pods?labelSelector=app%3Dother", []),
        ("/namespaces/kube-system/pods", []),
        ("/nodes", ["node-1"]),
        ("/nodes?fieldSelector=metadata.name%3Dnode-2", []),
    ],
)
def test_lists_select_by_namespace_and_labels(metrics: httpx.Client, path: str, names: list[str]) -> None:
    assert [item["metadata"]["name"] for item in metrics.get(path).json()["items"]] == names


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/namespaces/default/pods/none", 'podmetrics.metrics.k8s.io "default/none" not found'),
        ("/nodes/none", 'nodemetrics.metrics.k8s.io "none" not found'),
    ],
)
def test_an_object_without_metrics_is_not_found(metrics: httpx.Client, path: str, message: str) -> None:
    answer = metrics.get(path)
    assert (answer.status_code, answer.json()["message"]) == (404, message)


def test_metrics_can_only_be_read(metrics: httpx.Client) -> None:
    assert metrics.post("/nodes", json={"metadata": {"name": "node-2"}}).status_code == 405
    assert metrics.delete("/nodes/node-1").status_code == 405


@needs_kubectl[1]
def test_kubectl_shows_the_top_pods_and_nodes(measured: Server, tmp_path: Path) -> None:
    write_kubeconfig(tmp_path / "kubeconfig", measured.url)
    kubectl = Kubectl(tmp_path / "kubeconfig", "default")
    assert [line.split() for line in kubectl("top", "pods", "--no-headers").splitlines()] == [["web", "100m", "512Mi"]]
    assert kubectl("top", "nodes", "--no-headers").split()[:2] == ["node-1", "150m"]
    assert kubectl("get", "podmetrics", "web", "--no-headers").split() == ["web", "100m", "512Mi", "15s"]


def test_only_servers_with_kubelets_serve_metrics() -> None:
    groups = create_core(Settings(controllers=("namespace-controller",))).parts.registry.catalog.groups
    assert "metrics.k8s.io" not in groups
    assert "metrics.k8s.io" in create_core(Settings()).parts.registry.catalog.groups
