from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.kubelet.containers.behavior import ANNOTATION, ContainerRule
from memkube.registry.declarations.request_options import EVERYTHING
from tests.controllers.kubelet.sandbox import Sandbox, sandbox

pytestmark = pytest.mark.anyio


def container(name: str = "app", **requests: str) -> Document:
    return {"name": name, "image": "nginx:1.27", "resources": {"requests": requests}}


async def usage(sandbox: Sandbox, name: str = "web") -> dict[str, dict[str, str]] | None:
    """Return the use of each container of a pod; None if the pod has no metrics."""
    found = await metrics(sandbox, "pods", "default")
    containers = next((each["containers"] for each in found if each["metadata"]["name"] == name), None)
    return None if containers is None else {each["name"]: each["usage"] for each in containers}


async def metrics(sandbox: Sandbox, plural: str, namespace: str) -> list[dict[str, Any]]:
    listed = await sandbox.cluster.registry.find("metrics.k8s.io", "v1beta1", plural).list(namespace, EVERYTHING)
    return [stored.document for stored in listed.items]


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ({}, {"cpu": "1m", "memory": "10Mi"}),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "100m", "memory": "512Mi"}),
        ({"cpu": "255m", "memory": "1M"}, {"cpu": "25m", "memory": "500k"}),
    ],
)
async def test_containers_use_a_part_of_their_requests(requests: dict[str, str], expected: dict[str, str]) -> None:
    async with sandbox() as box:
        await box.create(containers=[container(**requests)])
        await box.advance(20)
        assert await usage(box) == {"app": expected}


async def test_a_container_is_measured_once_it_has_run_for_the_window() -> None:
    async with sandbox() as box:
        await box.create(containers=[container()])
        await box.advance(10)
        assert await usage(box) is None
        await box.advance(10)
        assert await usage(box) is not None


async def test_a_changed_rule_applies_to_running_containers() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("a"), container("b")])
        await box.advance(20)
        assert box.cluster.manager.kubelet is not None
        box.cluster.manager.kubelet.rules.put("busy", ContainerRule.model_validate({"container": "a", "cpu": "900m"}))
        found = await usage(box)
        assert found is not None
        assert (found["a"], found["b"]["cpu"]) == ({"cpu": "900m", "memory": "10Mi"}, "1m")


async def test_an_annotation_sets_the_use() -> None:
    async with sandbox() as box:
        annotations = {ANNOTATION: '{"memory": "1Gi"}'}
        await box.create(metadata={"annotations": annotations}, containers=[container()])
        await box.advance(20)
        assert await usage(box) == {"app": {"cpu": "1m", "memory": "1Gi"}}


async def test_ended_containers_use_nothing() -> None:
    async with sandbox() as box:
        ends = {**container("b"), "image": "busybox", "command": ["sleep", "5"]}
        await box.create(containers=[container("a"), ends], restartPolicy="Never")
        await box.advance(30)
        assert list(await usage(box) or ()) == ["a"]


async def test_a_node_uses_what_its_pods_use() -> None:
    async with sandbox() as box:
        (idle,) = await metrics(box, "nodes", "")
        assert idle["usage"] == {"cpu": "50m", "memory": "256Mi"}
        await box.create(containers=[container(cpu="1", memory="1Gi")])
        await box.advance(20)
        (busy,) = await metrics(box, "nodes", "")
        assert (busy["metadata"], busy["usage"]) == ({"name": "node-1"}, {"cpu": "150m", "memory": "768Mi"})


async def test_a_failed_node_is_not_measured() -> None:
    async with sandbox() as box:
        await box.create(containers=[container()])
        await box.advance(20)
        assert box.cluster.manager.kubelet is not None
        box.cluster.manager.kubelet.nodes.fail("node-1")
        assert (await metrics(box, "nodes", ""), await metrics(box, "pods", "")) == ([], [])


@pytest.mark.parametrize("amount", ["-1", "many", 1.5])
def test_a_malformed_use_is_refused(amount: object) -> None:
    with pytest.raises(ValueError, match="cpu"):
        ContainerRule.model_validate({"cpu": amount})
