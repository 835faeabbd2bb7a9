"""Pressure of a node's resources: conditions, taints, evictions and refusals."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.nodes.resources import WatchedResource
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

_GIBIBYTE = 2**30
_LOW: dict[WatchedResource, int] = {"memory": 50 * 2**20}
_BEHAVIOR = "memkube.dev/behavior"


def _using(memory: str) -> dict[str, Any]:
    return {"annotations": {_BEHAVIOR: f'{{"memory": "{memory}"}}'}}


def _requests(memory: str) -> dict[str, Any]:
    return {"resources": {"requests": {"memory": memory}}}


async def _set(box: Sandbox, available: dict[WatchedResource, int]) -> None:
    kubelet, machine = box.cluster.manager.kubelet, box.nodes.get("node-1")
    assert kubelet is not None
    assert machine is not None
    kubelet.evictions.set_available(machine, available)
    await box.cluster.settle()


async def _node(box: Sandbox) -> Document:
    node = await box.cluster.get("nodes", "node-1", "")
    assert node is not None
    return node


async def _pressures(box: Sandbox) -> list[str]:
    conditions = (await _node(box))["status"]["conditions"]
    return [c["type"] for c in conditions if c["status"] == "True" and c["type"] != "Ready"]


async def _node_events(box: Sandbox) -> list[tuple[str, str]]:
    events = (await box.cluster.store("events").list("default", ListOptions())).items
    found = sorted((e.document for e in events), key=lambda e: int(e["metadata"]["resourceVersion"]))
    return [(e["reason"], e["message"]) for e in found if e["involvedObject"]["kind"] == "Node"]


@pytest.mark.parametrize(
    ("available", "type_", "reason", "message"),
    [
        (_LOW, "MemoryPressure", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
        ({"nodefs": _GIBIBYTE}, "DiskPressure", "KubeletHasDiskPressure", "kubelet has disk pressure"),
        ({"imagefs": 14 * _GIBIBYTE}, "DiskPressure", "KubeletHasDiskPressure", "kubelet has disk pressure"),
        ({"pids": 100}, "PIDPressure", "KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
    ],
)
async def test_a_node_that_runs_short_reports_pressure(
    available: dict[WatchedResource, int], type_: str, reason: str, message: str
) -> None:
    async with sandbox() as box:
        await _set(box, available)
        found = next(c for c in (await _node(box))["status"]["conditions"] if c["type"] == type_)
        assert (found["status"], found["reason"], found["message"]) == ("True", reason, message)


@pytest.mark.parametrize("available", [{"memory": 100 * 2**20}, {"nodefs": 11 * _GIBIBYTE}, {"pids": 3276}])
async def test_a_node_with_enough_has_no_pressure(available: dict[WatchedResource, int]) -> None:
    async with sandbox() as box:
        await _set(box, available)
        assert await _pressures(box) == []


async def test_pressure_ends_five_minutes_after_it_was_last_observed() -> None:
    async with sandbox() as box:
        await _set(box, _LOW)
        await _set(box, {})
        await box.advance(290)
        assert await _pressures(box) == ["MemoryPressure"]
        await box.advance(20)
        assert await _pressures(box) == []


async def test_a_node_under_pressure_is_tainted_while_it_lasts() -> None:
    async with sandbox("node-lifecycle") as box:
        await _set(box, _LOW)
        (taint,) = (await _node(box))["spec"]["taints"]
        assert (taint["key"], taint["effect"]) == ("node.kubernetes.io/memory-pressure", "NoSchedule")
        await _set(box, {})
        await box.advance(320)
        assert "taints" not in (await _node(box))["spec"]


async def test_events_of_the_node_tell_of_the_pressure() -> None:
    async with sandbox() as box:
        await _set(box, _LOW)
        events = await _node_events(box)
        assert ("EvictionThresholdMet", "Attempting to reclaim memory") in events
        reason = "NodeHasInsufficientMemory"
        assert (reason, f"Node node-1 status is now: {reason}") in events


async def test_an_evicted_pod_has_failed_with_the_reason() -> None:
    async with sandbox() as box:
        await box.create(containers=[container("c0", **_requests("100Mi"))], metadata=_using("200Mi"))
        await _set(box, _LOW)
        status = await box.status()
        message = (
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. "
            "Container c0 was using 200Mi, request is 100Mi, has larger consumption of memory. "
        )
        assert (status["phase"], status["reason"], status["message"]) == ("Failed", "Evicted", message)
        assert await box.condition("DisruptionTarget") == ("True", "TerminationByKubelet", message)
        assert await box.events("Evicted") == [message]


async def test_an_evicted_pod_has_a_second_to_end() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        await _set(box, _LOW)
        await box.advance(0.5)
        assert "running" in (await box.container())["state"]
        assert (await box.status())["phase"] == "Running"
        assert await box.condition("Ready") == ("False", "PodFailed", "")
        await box.advance(2)
        assert (await box.container())["state"]["terminated"]["exitCode"] == 137
        assert (await box.condition("DisruptionTarget"))[:2] == ("True", "TerminationByKubelet")


async def test_pods_are_evicted_one_at_a_time_until_enough_is_available() -> None:
    async with sandbox() as box:
        for name in ("a", "b", "c"):
            await box.create(name, containers=[container("c0")], metadata=_using("40Mi"))
        await _set(box, {"memory": 30 * 2**20})
        assert [(await box.status(name))["phase"] for name in "abc"] == ["Failed", "Running", "Running"]
        await box.advance(60)
        assert [(await box.status(name))["phase"] for name in "abc"] == ["Failed", "Failed", "Running"]


async def test_pods_that_exceed_their_requests_are_evicted_first_then_by_priority_and_excess() -> None:
    async with sandbox() as box:
        await _class(box, "high", 1000)
        await box.create("within", containers=[container("c0", **_requests("20Mi"))], metadata=_using("10Mi"))
        await box.create("high", containers=[container("c0")], metadata=_using("8Mi"), priorityClassName="high")
        await box.create("small", containers=[container("c0")], metadata=_using("2Mi"))
        await box.create("large", containers=[container("c0", **_requests("1Mi"))], metadata=_using("9Mi"))
        await _set(box, {"memory": 1})
        order: list[str] = []
        for _ in range(4):
            order += [n for n in ("within", "high", "small", "large") if n not in order and await _is_evicted(box, n)]
            await box.advance(2)
        assert order == ["large", "small", "high", "within"]


async def _class(box: Sandbox, name: str, value: int) -> None:
    fields = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
    await box.cluster.create({**fields, "value": value})


async def _is_evicted(box: Sandbox, name: str) -> bool:
    return (await box.status(name)).get("reason") == "Evicted"


async def test_the_pod_with_the_largest_files_is_evicted_for_disk_space() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600", name="a")
        await box.run("printf 0123456789; sleep 3600", name="b")
        await _set(box, {"nodefs": _GIBIBYTE})
        await box.advance(2)
        assert not await _is_evicted(box, "a")
        assert (await box.status("b"))["message"] == (
            "The node was low on resource: ephemeral-storage. Threshold quantity: 10737418400, available: 1Gi. "
            "Container c0 was using 10, request is 0, has larger consumption of ephemeral-storage. "
        )


async def test_critical_pods_are_neither_evicted_nor_refused() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600", priorityClassName="system-node-critical")
        await _set(box, _LOW)
        await box.run("sleep 3600", name="late", priorityClassName="system-node-critical")
        await box.advance(60)
        assert [(await box.status(name))["phase"] for name in ("web", "late")] == ["Running", "Running"]


_TOLERATES = {"tolerations": [{"key": "node.kubernetes.io/memory-pressure", "operator": "Exists"}]}


@pytest.mark.parametrize(
    ("available", "spec", "refused"),
    [
        (_LOW, {"containers": [container("c0")]}, "[MemoryPressure]"),
        (_LOW, {"containers": [container("c0")], **_TOLERATES}, ""),
        (_LOW, {"containers": [container("c0", **_requests("1Mi"))]}, ""),
        ({"pids": 1}, {"containers": [container("c0", **_requests("1Mi"))], **_TOLERATES}, "[PIDPressure]"),
        ({"memory": 1, "nodefs": 1}, {"containers": [container("c0")]}, "[MemoryPressure DiskPressure]"),
    ],
)
async def test_a_node_under_pressure_refuses_pods(
    available: dict[WatchedResource, int], spec: dict[str, Any], refused: str
) -> None:
    async with sandbox() as box:
        await _set(box, available)
        await _set(box, {})
        await box.create(**spec)
        status, message = await box.status(), f"The node had condition: {refused}. "
        if refused:
            assert (status["phase"], status["reason"]) == ("Failed", "Evicted")
            assert status["message"] == f"Pod was rejected: {message}"
            assert await box.events("Evicted") == [message]
            assert "containerStatuses" not in status
        else:
            assert status["phase"] == "Running"


async def test_configured_memory_of_containers_puts_a_node_under_pressure() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        await box.rule(container="c0", memory="32Gi")
        await box.advance(13)
        assert await _pressures(box) == ["MemoryPressure"]
        assert (await box.status())["reason"] == "Evicted"


async def test_a_node_that_failed_evicts_nothing_until_it_recovers() -> None:
    async with sandbox() as box:
        await box.run("sleep 3600")
        box.nodes.fail("node-1")
        await _set(box, _LOW)
        await box.advance(30)
        assert (await box.status())["phase"] == "Running"
        box.nodes.recover("node-1")
        await box.advance(13)
        assert (await box.status())["reason"] == "Evicted"


async def test_replaced_pods_that_a_node_rejects_do_not_stop_the_clock() -> None:
    async with sandbox("replicaset") as box:
        await _set(box, _LOW)
        labels = {"app": "web"}
        template = {"metadata": {"labels": labels}, "spec": {"nodeName": "node-1", "containers": [container("c0")]}}
        await box.cluster.create(
            {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "metadata": {"name": "web"},
                "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template},
            }
        )
        await box.advance(4)
        pods = (await box.cluster.store("pods").list("default", ListOptions())).items
        assert {pod.document["status"].get("reason") for pod in pods} == {"Evicted", None}
        assert 5 < len(pods) < 20
