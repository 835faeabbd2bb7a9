"""Explanations of the scheduling of pods that use devices."""

import pytest

from memkube.controllers.scheduler.explanation import Explanation
from tests.controllers.cluster import Cluster
from tests.controllers.scheduler.devices.objects import (
    claim,
    device,
    device_class,
    request,
    resource_slice,
    using,
)
from tests.controllers.scheduler.scheduling import node, pod, scheduling

pytestmark = pytest.mark.anyio


async def explained(cluster: Cluster, name: str) -> Explanation:
    scheduler = await cluster.manager.wait_for_scheduler()
    assert scheduler is not None
    found = scheduler.explain(await cluster.store("pods").get("default", name))
    assert found is not None
    return found


async def test_a_node_without_the_devices_is_rejected_by_the_plugin() -> None:
    async with scheduling(node("n"), node("o")) as cluster:
        wanted = claim("c", request(count=2))
        for document in (device_class(), resource_slice("n", device("a")), wanted, pod("p", **using("c"))):
            await cluster.create(document)
        found = await explained(cluster, "p")
    rejections = [(verdict.node, *verdict.rejections) for verdict in found.nodes]
    why = ("DynamicResources", ("cannot allocate all claims",))
    assert rejections == [("n", why), ("o", why)]
    assert found.message == "0/2 nodes are available: 2 cannot allocate all claims."


async def test_a_pod_without_its_claim_is_explained_although_it_was_not_tried() -> None:
    async with scheduling(node("n")) as cluster:
        await cluster.create(pod("p", **using("c")))
        found = await explained(cluster, "p")
    assert found.message == '0/1 nodes are available: could not find ResourceClaim "default/c".'


async def test_an_error_of_a_selector_is_the_message() -> None:
    async with scheduling(node("n")) as cluster:
        wanted = claim("c", request("r", 'device.attributes["x.example.com"].y == 1'))
        for document in (device_class(), resource_slice("n", device("a")), wanted, pod("p", **using("c"))):
            await cluster.create(document)
        found = await explained(cluster, "p")
    assert found.message.endswith("claim default/c: selector #0: CEL runtime error: no such key: y")
    assert found.nodes == ()


async def test_a_bound_pod_is_explained_with_its_own_devices() -> None:
    async with scheduling(node("n")) as cluster:
        for document in (device_class(), resource_slice("n", device("a")), claim("c"), pod("p", **using("c"))):
            await cluster.create(document)
        assert (await explained(cluster, "p")).chosen == "n"
