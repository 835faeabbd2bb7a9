from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers import pod_gc
from memkube.controllers.available import CONTROLLERS
from memkube.controllers.manager import ControllerManager
from tests.controllers.cluster import READY, Cluster, pod, running

pytestmark = pytest.mark.anyio


def bound(name: str, node: str, status: Document | None = None, **metadata: Any) -> Document:
    document = pod(name, status, **metadata)
    return {**document, "spec": {**document["spec"], "nodeName": node}}


async def make_node(cluster: Cluster, name: str, **spec: Any) -> None:
    await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec})


async def test_pods_of_a_node_that_is_not_there_go_after_a_quarantine() -> None:
    async with running("pod-gc") as cluster:
        await cluster.create(bound("a", "gone", READY, finalizers=["example.com/hold"]))
        await cluster.clock.advance(40)
        before = await cluster.get("pods", "a")
        await cluster.clock.advance(20)
        after = await cluster.get("pods", "a")
        assert before is not None
        assert after is not None
        assert "deletionTimestamp" not in before["metadata"]
        assert "deletionTimestamp" in after["metadata"]
        assert after["status"]["phase"] == "Failed"
        assert after["status"]["conditions"][1]["message"] == "PodGC: node no longer exists"


async def test_pods_of_a_node_that_comes_during_the_quarantine_stay() -> None:
    async with running("pod-gc") as cluster:
        await cluster.create(bound("a", "late"))
        await cluster.clock.advance(50)
        await make_node(cluster, "late")
        await cluster.clock.advance(3600)
        assert await cluster.get("pods", "a") is not None


async def test_pods_of_a_deleted_node_go() -> None:
    async with running("pod-gc") as cluster:
        await make_node(cluster, "one")
        await cluster.create(bound("a", "one"))
        await cluster.clock.advance(3600)
        await cluster.delete("nodes", "one")
        await cluster.clock.advance(60)
        assert await cluster.get("pods", "a") is None


async def test_a_quarantine_begins_anew_when_the_pods_of_a_missing_node_are_deleted() -> None:
    async with running("pod-gc") as cluster:
        await cluster.create(bound("a", "gone"))
        await cluster.clock.advance(60)
        assert await cluster.get("pods", "a") is None
        await cluster.clock.advance(30)
        await cluster.create(bound("b", "gone"))
        await cluster.clock.advance(10)
        assert await cluster.get("pods", "b") is None


async def test_a_few_ended_pods_stay() -> None:
    async with running("pod-gc") as cluster:
        await cluster.create(pod("a", {"phase": "Succeeded"}))
        await cluster.clock.advance(3600)
        assert await cluster.get("pods", "a") is not None


async def test_too_many_ended_pods_lose_the_evicted_and_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_gc, "TERMINATED_PODS_KEPT", 1)
    async with running("pod-gc") as cluster:
        for name, status in (
            ("old", {"phase": "Succeeded"}),
            ("new", {"phase": "Failed"}),
            ("evicted", {"phase": "Failed", "reason": "Evicted"}),
        ):
            await cluster.create(pod(name, status))
            await cluster.clock.advance(1)
        await cluster.clock.advance(20)
        assert [name for name in ("old", "new", "evicted") if await cluster.get("pods", name)] == ["new"]


async def test_a_pod_that_terminates_without_a_node_fails() -> None:
    async with running("pod-gc") as cluster:
        await cluster.create(pod("a", finalizers=["example.com/hold"]))
        await cluster.delete("pods", "a")
        await cluster.clock.advance(20)
        found = await cluster.get("pods", "a")
        assert found is not None
        assert found["status"]["phase"] == "Failed"


async def test_a_pod_that_terminates_on_a_node_out_of_service_goes() -> None:
    async with running("pod-gc") as cluster:
        await make_node(cluster, "one", taints=[{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}])
        await make_node(cluster, "two")
        for name, node in (("a", "one"), ("b", "two")):
            await cluster.create(bound(name, node, READY))
            await cluster.delete("pods", name)
        await cluster.clock.advance(20)
        assert await cluster.get("pods", "a") is None
        assert await cluster.get("pods", "b") is not None


async def test_pods_from_before_the_start_are_checked_at_the_start() -> None:
    async with running() as cluster:
        await cluster.create(bound("a", "gone"))
        manager = ControllerManager(cluster.parts, CONTROLLERS, ["pod-garbage-collector-controller"])
        async with manager.running():
            await cluster.clock.advance(39)
            assert await cluster.get("pods", "a") is not None
            await cluster.clock.advance(1)
            assert await cluster.get("pods", "a") is None
