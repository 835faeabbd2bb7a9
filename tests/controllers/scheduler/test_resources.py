"""Resource requests of pods, and the resources that are left on nodes."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.pod_requests import requests_of, scored_requests
from tests.controllers.scheduler.scheduling import node, place, pod, refusal, scheduling

pytestmark = pytest.mark.anyio


def container(name: str, cpu: str, **fields: Any) -> Document:
    return {"name": name, "image": "nginx:1.27", "resources": {"requests": {"cpu": cpu}}, **fields}


def sidecar(name: str, cpu: str) -> Document:
    return container(name, cpu, restartPolicy="Always")


def document(status: Document | None = None, **spec: Any) -> Document:
    return {"metadata": {}, "spec": {"containers": [container("app", "1")], **spec}, "status": status or {}}


def resized(actual: str, allocated: str, **status: Any) -> Document:
    granted = {"name": "app", "resources": {"requests": {"cpu": actual}}, "allocatedResources": {"cpu": allocated}}
    return {"containerStatuses": [granted], **status}


INFEASIBLE = {"conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]}


@pytest.mark.parametrize(
    ("pod_document", "milli_cpu"),
    [
        (document(), 1000),
        (document(containers=[container("a", "1"), container("b", "500m")]), 1500),
        (document(initContainers=[container("init", "3")]), 3000),
        (document(initContainers=[container("init", "500m")]), 1000),
        (document(initContainers=[sidecar("side", "1")]), 2000),
        (document(initContainers=[sidecar("side", "1"), container("init", "3")]), 4000),
        (document(initContainers=[container("init", "3"), sidecar("side", "1")]), 3000),
        (document(overhead={"cpu": "250m"}), 1250),
        (document(resources={"requests": {"cpu": "4"}}), 4000),
        (document(resources={"requests": {"cpu": "4"}}, overhead={"cpu": "1"}), 5000),
        (document(resized("2", "2")), 2000),
        (document(resized("500m", "2")), 2000),
        (document(resized("500m", "500m")), 1000),
        (document(resized("500m", "500m", **INFEASIBLE)), 500),
    ],
)
def test_requests_are_added_up(pod_document: Document, milli_cpu: int) -> None:
    assert requests_of(pod_document).resources.cpu == milli_cpu


def test_a_node_is_scored_for_the_requests_of_containers_even_if_the_pod_has_others() -> None:
    pod_level = {"requests": {"cpu": "4"}}
    assert scored_requests(document(resources=pod_level, overhead={"cpu": "250m"})) == (1250, 200 * 1024**2)


def test_containers_without_requests_count_for_something_when_nodes_are_compared() -> None:
    silent = {"name": "silent", "image": "nginx:1.27"}
    requests = requests_of(document(containers=[silent, container("app", "1")]))
    assert requests.resources.cpu == 1000
    assert (requests.compared_cpu, requests.compared_memory) == (1100, 2 * 200 * 1024 * 1024)


@pytest.mark.parametrize(
    ("requests", "reasons"),
    [
        ({"cpu": "5"}, "1 Insufficient cpu"),
        ({"memory": "9Gi"}, "1 Insufficient memory"),
        ({"ephemeral-storage": "101Gi"}, "1 Insufficient ephemeral-storage"),
        ({"example.com/gpu": "3"}, "1 Insufficient example.com/gpu"),
        ({"example.com/fpga": "1"}, "1 Insufficient example.com/fpga"),
        ({"cpu": "5", "memory": "9Gi"}, "1 Insufficient cpu, 1 Insufficient memory"),
        ({"cpu": "4", "memory": "8Gi", "ephemeral-storage": "100Gi", "example.com/gpu": "2"}, None),
    ],
)
async def test_a_node_must_have_enough_of_everything(requests: Document, reasons: str | None) -> None:
    large = node("a")
    large["status"]["allocatable"]["example.com/gpu"] = "2"
    new = pod("web", requests=requests)
    extended = {name: amount for name, amount in requests.items() if "/" in name}
    new["spec"]["containers"][0]["resources"]["limits"] = extended
    async with scheduling(large) as cluster:
        assert await place(cluster, new) == (None if reasons else "a")
        if reasons:
            assert await refusal(cluster, "web") == f"0/1 nodes are available: {reasons}."


async def test_a_node_takes_only_so_many_pods() -> None:
    async with scheduling(node("a", pods="1")) as cluster:
        assert await place(cluster, pod("one")) == "a"
        assert await place(cluster, pod("two")) is None
        assert await refusal(cluster, "two") == "0/1 nodes are available: 1 Too many pods."


async def test_ended_pods_take_nothing() -> None:
    async with scheduling(node("a", pods="1")) as cluster:
        await place(cluster, pod("one"))
        await cluster.change("pods", "one", subresource="status", status={"phase": "Failed"})
        assert await place(cluster, pod("two")) == "a"
