"""Resizes of running pods."""

from typing import Any

import pytest

import memkube
from memkube.apimachinery.model import Document
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

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
async def test_a_resized_container_does_not_wait_for_its_back_off() -> None:
    async with sandbox() as box:
        await _run(box, command=("sh", "-c", "exit 1"))
        assert "waiting" in (await box.container())["state"]
        await _resize(box, "2")
        assert (await box.container())["restartCount"] == 2


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


@pytest.mark.anyio
async def test_the_pod_with_the_highest_priority_gets_freed_resources_first() -> None:
    async with sandbox() as box:
        high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7}
        await box.cluster.create(high)
        await _run(box, "other", cpu="5")
        for name, priority in (("a", ""), ("b", "high"), ("c", "")):
            await _run(box, name, priorityClassName=priority)
            await _resize(box, "4", name)
        await box.cluster.delete("pods", "other")
        await box.advance(600)
        assert [(await box.container(pod=name))["allocatedResources"]["cpu"] for name in "abc"] == ["1", "4", "1"]


@pytest.mark.anyio
async def test_a_resize_waits_while_the_node_is_under_pressure() -> None:
    async with sandbox() as box:
        await _run(box)
        await box.run("sleep 1d", name="evicted")
        kubelet, machine = box.cluster.manager.kubelet, box.nodes.get("node-1")
        assert kubelet is not None
        assert machine is not None
        kubelet.evictions.set_available(machine, {"nodefs": 2**30})
        await box.cluster.settle()
        await _resize(box, "2")
        [condition] = await _conditions(box)
        assert (condition["reason"], condition["message"]) == ("Deferred", "The node had condition: [DiskPressure]. ")


@pytest.mark.anyio
async def test_the_resources_of_the_whole_pod_can_be_resized() -> None:
    async with sandbox() as box:
        await _run(box, "other", cpu="2")
        await _run(box, resources={"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}})
        await _resize_pod(box, requests={"cpu": "3"}, limits={"memory": "2Gi"})
        assert len(await box.events("ResizeCompleted")) == 1
        status = await box.status()
        assert status["allocatedResources"] == {"cpu": "3", "memory": "1Gi"}
        assert status["resources"] == {"requests": {"cpu": "3", "memory": "1Gi"}, "limits": {"memory": "2Gi"}}
        await _resize_pod(box, requests={"cpu": "7"}, limits={"memory": "2Gi"})
        assert (await box.status())["allocatedResources"] == {"cpu": "3", "memory": "1Gi"}
        assert [condition["reason"] for condition in await _conditions(box)] == ["Deferred"]


@pytest.mark.parametrize(("own", "restarts"), [({}, 1), ({"memory": "1Gi"}, 0)])
@pytest.mark.anyio
async def test_a_container_without_a_limit_restarts_if_the_limit_of_the_pod_changes(own: Any, restarts: int) -> None:
    async with sandbox() as box:
        policy = {"resourceName": "memory", "restartPolicy": "RestartContainer"}
        await _run(box, policies=[policy], limits=own, resources={"limits": {"memory": "1Gi"}}, command=[])
        await _resize_pod(box, limits={"memory": "2Gi"})
        await box.advance(30)
        assert (await box.container())["restartCount"] == restarts


@pytest.mark.anyio
async def test_a_memory_limit_is_not_lowered_below_the_usage() -> None:
    async with sandbox() as box:
        await box.rule(memory="200Mi")
        await _run(box, limits={"memory": "400Mi"}, command=[])
        await _resize(box, "1", limits={"memory": "100Mi"})
        usage = "below current usage (209715200)"
        of_pod = f"attempting to set pod memory limit (104857600) {usage}"
        of_container = f'attempting to set container "c0" memory limit (104857600) {usage}'
        problem = f"cannot decrease memory limits: [{of_pod}, {of_container}]"
        [condition] = await _conditions(box)
        found = [condition[name] for name in ("type", "reason", "message")]
        assert found == ["PodResizeInProgress", "Error", problem]
        assert (await box.container())["resources"]["limits"] == {"memory": "400Mi"}
        assert len(await box.events("ResizeError")) == 1
        await box.rule(memory="50Mi")
        await box.advance(10)
        assert (await box.container())["resources"]["limits"] == {"memory": "100Mi"}
        assert await _conditions(box) == []


@pytest.mark.anyio
async def test_the_status_of_a_pod_has_the_total_of_its_resources() -> None:
    async with sandbox() as box:
        resources = {"requests": {"cpu": "1", "ephemeral-storage": "1Gi"}, "limits": {"memory": "1Gi"}}
        await box.create(containers=[container("c0", resources=resources), container("c1", resources=resources)])
        status = await box.status()
        assert status["allocatedResources"] == {"cpu": "2", "memory": "2Gi", "ephemeral-storage": "2Gi"}
        assert status["resources"] == {"requests": {"cpu": "2", "memory": "2Gi"}, "limits": {"memory": "2Gi"}}


async def _run(
    box: Sandbox,
    name: str = "web",
    cpu: str = "1",
    policies: Any = (),
    command: Any = ("sleep", "1d"),
    limits: Any = None,
    **spec: Any,
) -> None:
    server = {"name": "c0", "image": "nginx", "command": list(command), "resizePolicy": list(policies)}
    resources = {"requests": {"cpu": cpu}, "limits": limits or {}}
    await box.create(name, containers=[{**server, "resources": resources}], **spec)


async def _resize(box: Sandbox, cpu: str, name: str = "web", **resources: Any) -> None:
    pod = await box.pod(name)
    assert pod is not None
    [server] = pod["spec"]["containers"]
    resized = {**server, "resources": {"requests": {"cpu": cpu}, **resources}}
    await box.cluster.change("pods", name, subresource="resize", spec={**pod["spec"], "containers": [resized]})


async def _resize_pod(box: Sandbox, **resources: Any) -> None:
    pod = await box.pod()
    assert pod is not None
    before = pod["spec"]["resources"]
    resized = {kind: {**before.get(kind, {}), **amounts} for kind, amounts in resources.items()}
    spec = {**pod["spec"], "resources": {**before, **resized}}
    await box.cluster.change("pods", "web", subresource="resize", spec=spec)


async def _shown(box: Sandbox) -> tuple[str, str, int]:
    """Return the CPU that the container has and that is allocated to it, and how often it was restarted."""
    status = await box.container()
    return status["resources"]["requests"]["cpu"], status["allocatedResources"]["cpu"], status["restartCount"]


async def _conditions(box: Sandbox) -> list[Document]:
    return [c for c in (await box.status())["conditions"] if c["type"].startswith("PodResize")]
