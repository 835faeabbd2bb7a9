"""Pods that use tainted devices are deleted."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, running
from tests.controllers.scheduler.devices.objects import (
    claim,
    device,
    device_class,
    request,
    resource_slice,
    using,
)
from tests.controllers.scheduler.scheduling import add_node, node, pod

pytestmark = pytest.mark.anyio

NAMES = ("device-taint-eviction-controller", "scheduler")
FOREVER = {"operator": "Exists", "effect": "NoExecute"}


async def use_device(cluster: Cluster, *tolerations: Document) -> None:
    """Create a node with a device, and a pod that uses the device with these tolerations of taints."""
    await add_node(cluster, node("n"))
    wanted = claim("c", request(tolerations=list(tolerations)))
    for document in (device_class(), resource_slice("n", device("a")), wanted, pod("p", **using("c"))):
        await cluster.create(document)


async def taint(cluster: Cluster, *effects: str) -> None:
    spec = resource_slice("n", device("a", taints=[{"key": "broken", "effect": effect} for effect in effects]))["spec"]
    await cluster.change("resourceslices", "n", spec=spec)


async def is_evicted(cluster: Cluster) -> bool:
    found: Any = await cluster.get("pods", "p")
    return found is None or "deletionTimestamp" in found["metadata"]


async def messages(cluster: Cluster) -> list[str]:
    events = await cluster.store("events").list("default", ListOptions())
    found = [stored.document for stored in events.items]
    return [one["message"] for one in found if one["reason"] == "DeviceTaintManagerEviction"]


async def test_a_pod_is_deleted_when_its_device_is_tainted() -> None:
    async with running(*NAMES) as cluster:
        await use_device(cluster)
        assert not await is_evicted(cluster)
        await taint(cluster, "NoExecute")
        assert await is_evicted(cluster)
        assert await messages(cluster) == ["Marking for deletion"]
        found = await cluster.get("pods", "p") or {}
    condition = next(one for one in found["status"]["conditions"] if one["type"] == "DisruptionTarget")
    assert (condition["reason"], condition["message"]) == (
        "DeletionByDeviceTaintManager",
        "Device Taint manager: deleting due to NoExecute taint",
    )


@pytest.mark.parametrize(("effect", "tolerations"), [("NoSchedule", []), ("None", []), ("NoExecute", [FOREVER])])
async def test_a_pod_stays_if_the_taint_is_tolerated_or_has_another_effect(
    effect: str, tolerations: list[Document]
) -> None:
    async with running(*NAMES) as cluster:
        await use_device(cluster, *tolerations)
        await taint(cluster, effect)
        assert not await is_evicted(cluster)


async def test_a_pod_stays_for_the_seconds_of_its_toleration() -> None:
    async with running(*NAMES) as cluster:
        await use_device(cluster, {**FOREVER, "tolerationSeconds": 60})
        await taint(cluster, "NoExecute")
        await cluster.clock.advance(58)
        assert not await is_evicted(cluster)
        await cluster.clock.advance(3)
        assert await is_evicted(cluster)


async def test_the_deletion_is_cancelled_if_the_taint_is_removed_in_time() -> None:
    async with running(*NAMES) as cluster:
        await use_device(cluster, {**FOREVER, "tolerationSeconds": 60})
        await taint(cluster, "NoExecute")
        await taint(cluster)
        await cluster.clock.advance(70)
        assert not await is_evicted(cluster)
        assert await messages(cluster) == ["Cancelling deletion"]
