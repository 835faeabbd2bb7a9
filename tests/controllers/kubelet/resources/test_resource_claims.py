"""Pods on simulated nodes wait until the devices of their ResourceClaims are prepared."""

import pytest

from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import running
from tests.controllers.scheduler.devices.objects import claim, device, device_class, resource_slice, using
from tests.controllers.scheduler.scheduling import pod

pytestmark = pytest.mark.anyio

NAMES = ("resourceclaim-controller", "scheduler", "kubelet", "node-lifecycle-controller")


async def test_a_pod_with_an_allocated_claim_runs() -> None:
    async with running(*NAMES) as cluster:
        for document in (device_class(), resource_slice("node-1", device("a")), claim("c"), pod("p", **using("c"))):
            await cluster.create(document)
        await cluster.clock.advance(10)
        assert (await cluster.get("pods", "p") or {})["status"]["phase"] == "Running"


async def test_a_pod_that_no_scheduler_has_placed_waits_for_its_claim() -> None:
    async with running(*NAMES) as cluster:
        for document in (device_class(), resource_slice("node-1", device("a")), claim("c")):
            await cluster.create(document)
        stored = await cluster.create(pod("p", nodeName="node-1", **using("c")))
        await cluster.clock.advance(5)
        found = await cluster.store("events").list("default", ListOptions())
        reports = [one.document for one in found.items if one.document["reason"] == "FailedPrepareDynamicResources"]
        uid = (await cluster.get("resourceclaims", "c") or {})["metadata"]["uid"]
        assert (await cluster.get("pods", "p") or {})["status"]["phase"] == "Pending"
    text = f"pod p ({stored.uid}) is not allowed to use ResourceClaim c ({uid})"
    assert [one["message"] for one in reports] == [
        f"Failed to prepare dynamic resources: prepare dynamic resources: {text}"
    ]


async def test_a_waiting_pod_runs_once_another_pod_has_its_claim_allocated() -> None:
    async with running(*NAMES) as cluster:
        for document in (device_class(), resource_slice("node-1", device("a")), claim("c")):
            await cluster.create(document)
        await cluster.create(pod("p", nodeName="node-1", **using("c")))
        await cluster.create(pod("q", **using("c")))
        await cluster.clock.advance(15)
        phases = [(await cluster.get("pods", name) or {})["status"]["phase"] for name in ("p", "q")]
    assert phases == ["Running", "Running"]
