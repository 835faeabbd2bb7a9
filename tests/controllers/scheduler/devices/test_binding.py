"""Allocation and reservation of claims before their pods are bound, and their release."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster
from tests.controllers.scheduler.devices.objects import (
    allocation,
    claim,
    device,
    device_class,
    request,
    resource_slice,
    using,
    why_not,
)
from tests.controllers.scheduler.scheduling import add_node, node, node_of, pod, scheduling

pytestmark = pytest.mark.anyio

BINDING: dict[str, Any] = {"bindingConditions": ["attached"], "bindingFailureConditions": ["broken"]}


async def stored_claim(cluster: Cluster, name: str) -> Document:
    document = await cluster.get("resourceclaims", name)
    assert document is not None
    return document


async def report(cluster: Cluster, name: str, condition: str) -> None:
    """Set a condition of the device of a claim, as its driver would."""
    found = await stored_claim(cluster, name)
    result = found["status"]["allocation"]["devices"]["results"][0]
    conditions = [{"type": condition, "status": "True", "reason": "Done", "message": "it is so"}]
    conditions[0]["lastTransitionTime"] = "2026-01-01T00:00:00Z"
    state = {**{field: result[field] for field in ("driver", "pool", "device")}, "conditions": conditions}
    await cluster.change("resourceclaims", name, "default", "status", status={**found["status"], "devices": [state]})


async def test_a_bound_pod_is_a_consumer_of_its_allocated_claim() -> None:
    async with scheduling(node("n")) as cluster:
        for document in (device_class(), resource_slice("n", device("a")), claim("c")):
            await cluster.create(document)
        created = await cluster.create(pod("p", **using("c")))
        found = await stored_claim(cluster, "c")
        assert await node_of(cluster, "p") == "n"
    assert found["metadata"]["finalizers"] == ["resource.kubernetes.io/delete-protection"]
    assert found["status"]["reservedFor"] == [{"resource": "pods", "name": "p", "uid": created.uid}]
    assert found["status"]["allocation"]["allocationTimestamp"]


async def test_a_second_pod_follows_its_claim_to_the_node_of_the_devices() -> None:
    async with scheduling(node("n"), node("o", cpu="64")) as cluster:
        for document in (device_class(), resource_slice("n", device("a")), claim("c")):
            await cluster.create(document)
        for name in ("p", "q"):
            await cluster.create(pod(name, **using("c")))
        assert [await node_of(cluster, name) for name in ("p", "q")] == ["n", "n"]
        assert len((await stored_claim(cluster, "c"))["status"]["reservedFor"]) == 2


async def test_a_pod_waits_without_a_message_until_its_claim_exists() -> None:
    async with scheduling(node("n")) as cluster:
        for document in (device_class(), resource_slice("n", device("a")), pod("p", **using("c"))):
            await cluster.create(document)
        assert await why_not(cluster, "p") == ""
        await cluster.create(claim("c"))
        assert await node_of(cluster, "p") == "n"


async def test_an_unschedulable_pod_is_tried_again_when_a_device_is_free() -> None:
    async with scheduling(node("n")) as cluster:
        for document in (device_class(), resource_slice("n", device("a")), claim("c"), claim("d")):
            await cluster.create(document)
        await cluster.create(pod("p", **using("c")))
        await cluster.create(pod("q", **using("d")))
        assert "1 cannot allocate all claims" in await why_not(cluster, "q")
        await cluster.delete("pods", "p")
        found = await stored_claim(cluster, "c")
        await cluster.change("resourceclaims", "c", "default", "status", status={})
        await cluster.clock.advance(10)
        assert found["status"]["allocation"]
        assert await allocation(cluster, "d") == ["r=n/a"]


async def test_an_idle_claim_on_the_wrong_node_is_deallocated_for_an_unschedulable_pod() -> None:
    async with scheduling(node("n")) as cluster:
        for document in (device_class(), resource_slice("n", device("a")), claim("c")):
            await cluster.create(document)
        await cluster.create(pod("p", **using("c")))
        await cluster.delete("pods", "p")
        found = await stored_claim(cluster, "c")
        await cluster.change(
            "resourceclaims", "c", "default", "status", status={"allocation": found["status"]["allocation"]}
        )
        await cluster.delete("nodes", "n")
        await add_node(cluster, node("o"))
        await cluster.create(resource_slice("o", device("b")))
        await cluster.create(pod("q", **using("c")))
        found_events = await cluster.store("events").list("default", ListOptions())
        messages = [stored.document["message"] for stored in found_events.items]
        expected = "1 resourceclaim not available on the node. deallocation of ResourceClaim completed"
        assert any(expected in message for message in messages)
        assert await allocation(cluster, "c") == ["r=o/b"]


async def test_a_pod_waits_for_the_binding_conditions_of_its_device() -> None:
    async with scheduling(node("n")) as cluster:
        for document in (
            device_class(),
            resource_slice("n", device("a", **BINDING)),
            claim("c"),
            pod("p", **using("c")),
        ):
            await cluster.create(document)
        waiting = await cluster.get("pods", "p") or {}
        assert (waiting["spec"].get("nodeName"), waiting["status"]["nominatedNodeName"]) == (None, "n")
        await report(cluster, "c", "attached")
        bound = await cluster.get("pods", "p") or {}
        assert (bound["spec"]["nodeName"], bound["status"].get("nominatedNodeName")) == ("n", None)


async def test_a_failed_binding_condition_fails_the_pod_and_frees_the_device() -> None:
    async with scheduling(node("n")) as cluster:
        devices = device("a", **BINDING), device("b")
        for document in (device_class(), resource_slice("n", *devices), claim("c"), pod("p", **using("c"))):
            await cluster.create(document)
        await report(cluster, "c", "broken")
        assert await why_not(cluster, "p") == (
            'running PreBind plugin "DynamicResources": device binding failed: claim=c, reason=Done, message="it is so"'
        )
        await cluster.clock.advance(2)
        assert "deallocation of ResourceClaim completed" in await why_not(cluster, "p")


async def test_a_pod_waits_for_binding_conditions_for_ten_minutes() -> None:
    async with scheduling(node("n")) as cluster:
        for document in (
            device_class(),
            resource_slice("n", device("a", **BINDING)),
            claim("c"),
            pod("p", **using("c")),
        ):
            await cluster.create(document)
        await cluster.clock.advance(600)
        assert await why_not(cluster, "p") == (
            'running PreBind plugin "DynamicResources": device binding timeout: context deadline exceeded'
        )


async def test_extended_resources_of_a_class_are_allocated_by_a_claim_of_the_pod() -> None:
    async with scheduling(node("n")) as cluster:
        gpus = device_class(extendedResourceName="example.com/gpu")
        for document in (gpus, resource_slice("n", device("a"), device("b"))):
            await cluster.create(document)
        wanted = {"cpu": "1", "example.com/gpu": "2"}
        document = pod("p")
        document["spec"]["containers"][0]["resources"] = {"requests": wanted, "limits": wanted}
        created = await cluster.create(document)
        status = (await cluster.get("pods", "p") or {})["status"]["extendedResourceClaimStatus"]
        found = await stored_claim(cluster, status["resourceClaimName"])
        assert await node_of(cluster, "p") == "n"
    name = "container-0-request-1"
    assert status["requestMappings"] == [
        {"containerName": "app", "resourceName": "example.com/gpu", "requestName": name}
    ]
    assert found["spec"]["devices"]["requests"] == [
        request(name, count=2, allocationMode="ExactCount")
        | {"exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}}
    ]
    assert found["metadata"]["annotations"] == {"resource.kubernetes.io/extended-resource-claim": "true"}
    assert found["metadata"]["ownerReferences"][0]["uid"] == created.uid


async def test_a_node_that_offers_the_extended_resource_itself_needs_no_claim() -> None:
    offering = node("n")
    offering["status"]["allocatable"]["example.com/gpu"] = "2"
    async with scheduling(offering) as cluster:
        await cluster.create(device_class(extendedResourceName="example.com/gpu"))
        document = pod("p")
        wanted = {"example.com/gpu": "2"}
        document["spec"]["containers"][0]["resources"] = {"requests": wanted, "limits": wanted}
        await cluster.create(document)
        assert await node_of(cluster, "p") == "n"
        assert "extendedResourceClaimStatus" not in (await cluster.get("pods", "p") or {})["status"]
