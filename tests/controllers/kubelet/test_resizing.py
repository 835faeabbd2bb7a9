"""Resizes of running pods."""

from typing import Any

import pytest

import memkube
from memkube.apimachinery.model import Document
from tests.controllers.kubelet.sandbox import Sandbox, sandbox

_NO_ROOM = "Node didn't have enough resource: cpu, requested: 7000, used: 2000, capacity: 8000"


@pytest.mark.anyio
async def test_a_resize_changes_a_running_container() -> None:
    async with sandbox() as box:
        await _run(box)
        await _resize(box, "2")
        assert await _shown(box) == ("2", "2", 0)
        assert await _conditions(box) == []
        started, completed = await box.events("ResizeStarted", "ResizeCompleted")
        summary = '{"containers":[{"name":"c0","resources":{"requests":{"cpu":"2"}}}],"generation":2}'
        assert (started, completed) == (f"Pod resize started: {summary}", f"Pod resize completed: {summary}")


@pytest.mark.parametrize(("resource", "restarts"), [("cpu", 1), ("memory", 0)])
@pytest.mark.anyio
async def test_a_container_restarts_if_the_policy_of_the_resource_says_so(resource: str, restarts: int) -> None:
    async with sandbox() as box:
        policy = {"resourceName": resource, "restartPolicy": "RestartContainer"}
        await _run(box, policies=[policy], terminationGracePeriodSeconds=2)
        await _resize(box, "2")
        assert len(await _conditions(box)) == restarts
        await box.advance(30)
        assert await _shown(box) == ("2", "2", restarts)
        assert await _conditions(box) == []
        assert await box.events("Killing") == ["Container c0 resize requires restart"] * restarts


@pytest.mark.anyio
async def test_a_server_that_ends_without_an_error_restarts_too() -> None:
    async with sandbox() as box:
        policy = {"resourceName": "cpu", "restartPolicy": "RestartContainer"}
        await _run(box, policies=[policy], command=[], restartPolicy="OnFailure")
        await _resize(box, "2")
        assert await _shown(box) == ("2", "2", 1)
        assert (await box.status())["phase"] == "Running"


@pytest.mark.anyio
async def test_a_resize_is_deferred_until_the_node_has_enough() -> None:
    async with sandbox() as box:
        await _run(box, "other", cpu="2")
        await _run(box)
        await _resize(box, "7")
        assert await _shown(box) == ("1", "1", 0)
        [condition] = await _conditions(box)
        found = [condition[name] for name in ("type", "status", "reason", "message", "observedGeneration")]
        assert found == ["PodResizePending", "True", "Deferred", _NO_ROOM, 2]
        await box.advance(600)
        assert len(await box.events("ResizeDeferred")) == 1
        await box.cluster.delete("pods", "other")
        await box.advance(30)
        assert await _shown(box) == ("7", "7", 0)
        assert await _conditions(box) == []


def test_a_restored_pod_keeps_its_deferred_resize() -> None:
    with memkube.Memkube(nodes=1, clock="stepped") as kube:
        for name, cpu in (("other", "2"), ("web", "1")):
            containers = [{"name": "c0", "image": "nginx", "resources": {"requests": {"cpu": cpu}}}]
            kube.create(
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers}}
            )
        kube.clock.advance(10)
        containers[0]["resources"] = {"requests": {"cpu": "7"}}
        kube.patch("pods", "web", {"spec": {"containers": containers}}, subresource="resize")
        kube.restore(kube.snapshot())
        kube.clock.advance(600)
        [status] = kube.get("pods", "web")["status"]["containerStatuses"]
        assert status["allocatedResources"] == {"cpu": "1"}
        assert [e["reason"] for e in kube.events("pods", "web") if "Resize" in e["reason"]] == ["ResizeDeferred"]


@pytest.mark.anyio
async def test_a_deferred_resize_can_be_taken_back() -> None:
    async with sandbox() as box:
        await _run(box, "other", cpu="2")
        await _run(box)
        await _resize(box, "7")
        await _resize(box, "1")
        assert await _conditions(box) == []
        assert await box.events("ResizeStarted") == []


async def _run(
    box: Sandbox, name: str = "web", cpu: str = "1", policies: Any = (), command: Any = ("sleep", "1d"), **spec: Any
) -> None:
    server = {"name": "c0", "image": "nginx", "command": list(command), "resizePolicy": list(policies)}
    resources = {"requests": {"cpu": cpu}}
    await box.create(name, containers=[{**server, "resources": resources}], **spec)


async def _resize(box: Sandbox, cpu: str) -> None:
    pod = await box.pod()
    assert pod is not None
    [container] = pod["spec"]["containers"]
    resized = {**container, "resources": {"requests": {"cpu": cpu}}}
    await box.cluster.change("pods", "web", subresource="resize", spec={**pod["spec"], "containers": [resized]})


async def _shown(box: Sandbox) -> tuple[str, str, int]:
    """Return the CPU that the container has and that is allocated to it, and how often it was restarted."""
    status = await box.container()
    return status["resources"]["requests"]["cpu"], status["allocatedResources"]["cpu"], status["restartCount"]


async def _conditions(box: Sandbox) -> list[Document]:
    return [c for c in (await box.status())["conditions"] if c["type"].startswith("PodResize")]
