"""Allocation of devices to the claims of pods, and reasons why none are allocated."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.scheduler.devices.objects import (
    DRIVER,
    allocation,
    claim,
    device,
    device_class,
    request,
    resource_slice,
    using,
    why_not,
)
from tests.controllers.scheduler.scheduling import node, node_of, pod, scheduling

pytestmark = pytest.mark.anyio

MODEL = f'device.attributes["{DRIVER}"].model'
NO_HELP = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
NO_DEVICES = f"0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, {NO_HELP}"
TAINT = {"key": "broken", "value": "yes", "effect": "NoSchedule"}
COUNTERS = [{"counterSet": "gpu", "counters": {"memory": {"value": "40Gi"}}}]
A_AND_B = (device("a", memory="8Gi"), device("b", memory="16Gi"))


async def allocated(claims: list[Document], *slices: Document, classes: tuple[Document, ...] = ()) -> list[list[str]]:
    """Return the devices of each claim of one pod on a cluster with one node."""
    async with scheduling(node("n")) as cluster:
        for document in (device_class(), *classes, *slices, *claims):
            await cluster.create(document)
        await cluster.create(pod("p", **using(*(one["metadata"]["name"] for one in claims))))
        return [await allocation(cluster, one["metadata"]["name"]) for one in claims]


@pytest.mark.parametrize(
    ("requests", "fields", "expected"),
    [
        ([request()], {}, ["r=n/a"]),
        ([request("r", f'{MODEL} == "b"')], {}, ["r=n/b"]),
        ([request(count=2)], {}, ["r=n/a", "r=n/b"]),
        ([request(count=3)], {}, []),
        ([request(allocationMode="All")], {}, ["r=n/a", "r=n/b"]),
        ([request("x", f'{MODEL} == "b"'), request("y")], {}, ["x=n/b", "y=n/a"]),
        ([request("x"), request("y", f'{MODEL} == "a"')], {}, ["x=n/b", "y=n/a"]),
        ([request("r", f'device.capacity["{DRIVER}"].memory.isGreaterThan(quantity("9Gi"))')], {}, ["r=n/b"]),
        ([request(capacity={"requests": {"memory": "10Gi"}})], {}, ["r=n/b"]),
        ([request("r", '!has(device.attributes["other.example.com"].x)')], {}, ["r=n/a"]),
        ([request(count=2)], {"constraints": [{"matchAttribute": f"{DRIVER}/model"}]}, []),
        ([request("x"), request("y")], {"constraints": [{"distinctAttribute": f"{DRIVER}/model"}]}, ["x=n/a", "y=n/b"]),
        ([request(class_name="none")], {}, []),
    ],
)
async def test_a_claim_gets_the_first_devices_that_match_its_requests(
    requests: list[Document], fields: dict[str, Any], expected: list[str]
) -> None:
    assert await allocated([claim("c", *requests, **fields)], resource_slice("n", *A_AND_B)) == [expected]


async def test_alternatives_are_tried_in_the_order_of_preference() -> None:
    alternatives = [
        {"name": name, "deviceClassName": "gpu", "count": number} for name, number in (("big", 3), ("small", 1))
    ]
    found = await allocated([claim("c", {"name": "r", "firstAvailable": alternatives})], resource_slice("n", *A_AND_B))
    assert found == [["r/small=n/a"]]


async def test_several_claims_of_a_pod_get_different_devices() -> None:
    assert await allocated([claim("c"), claim("d")], resource_slice("n", *A_AND_B)) == [["r=n/a"], ["r=n/b"]]


async def test_tainted_devices_need_a_toleration() -> None:
    offered = resource_slice("n", device("a", taints=[TAINT]), device("b"))
    tolerant = request(tolerations=[{"key": "broken", "operator": "Exists"}])
    assert await allocated([claim("c")], offered) == [["r=n/b"]]
    assert await allocated([claim("c", tolerant)], offered) == [["r=n/a"]]


async def test_devices_share_the_counters_of_their_pool() -> None:
    parts = [device(name, consumesCounters=COUNTERS) for name in ("a", "b", "c")]
    counters = [{"name": "gpu", "counters": {"memory": {"value": "80Gi"}}}]
    slices = (
        resource_slice("n", *parts, slices=2),
        resource_slice("n", name="counters", slices=2, sharedCounters=counters),
    )
    assert await allocated([claim("c", request(count=2))], *slices) == [["r=n/a", "r=n/b"]]
    assert await allocated([claim("c", request(count=3))], *slices) == [[]]


async def test_a_shareable_device_is_allocated_until_its_capacity_is_consumed() -> None:
    policy = {"default": "2Gi", "validRange": {"min": "1Gi", "step": "1Gi"}}
    shared = device("a", allowMultipleAllocations=True)
    shared["capacity"] = {"memory": {"value": "8Gi", "requestPolicy": policy}}
    wanted = [claim(name, request(capacity={"requests": {"memory": "2500Mi"}})) for name in ("c", "d", "e")]
    assert await allocated(wanted[:2], resource_slice("n", shared)) == [["r=n/a"], ["r=n/a"]]
    assert await allocated(wanted, resource_slice("n", shared)) == [[], [], []]


async def test_an_allocation_has_the_consumed_capacity_rounded_up_to_a_step() -> None:
    policy = {"default": "2Gi", "validRange": {"min": "1Gi", "step": "1Gi"}}
    shared = device("a", allowMultipleAllocations=True)
    shared["capacity"] = {"memory": {"value": "8Gi", "requestPolicy": policy}}
    async with scheduling(node("n")) as cluster:
        wanted = claim("c", request(capacity={"requests": {"memory": "2500Mi"}}))
        for document in (device_class(), resource_slice("n", shared), wanted, pod("p", **using("c"))):
            await cluster.create(document)
        stored = await cluster.get("resourceclaims", "c")
    assert stored is not None
    result = stored["status"]["allocation"]["devices"]["results"][0]
    assert result["consumedCapacity"] == {"memory": "3Gi"}
    assert result["shareID"]


@pytest.mark.parametrize(
    ("where", "selector"),
    [
        ({"nodeName": "n"}, {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}),
        ({"allNodes": True}, None),
        (
            {
                "nodeSelector": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "Exists"}]}
                    ]
                }
            },
            {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "Exists"}]},
        ),
    ],
)
async def test_an_allocation_names_the_nodes_of_its_devices(where: Document, selector: Document | None) -> None:
    async with scheduling(node("n")) as cluster:
        for document in (
            device_class(),
            resource_slice("pool", device("a"), **where),
            claim("c"),
            pod("p", **using("c")),
        ):
            await cluster.create(document)
        stored = await cluster.get("resourceclaims", "c")
    assert stored is not None
    assert (stored["status"]["allocation"].get("nodeSelector") or {}).get("nodeSelectorTerms") == (
        selector and [selector]
    )


async def test_admin_access_uses_devices_of_other_claims() -> None:
    async with scheduling(node("n")) as cluster:
        await cluster.change(
            "namespaces", "default", metadata={"labels": {"resource.kubernetes.io/admin-access": "true"}}
        )
        admin = claim("admin", request(adminAccess=True))
        for document in (device_class(), resource_slice("n", device("a")), claim("c"), admin):
            await cluster.create(document)
        for name in ("c", "admin"):
            await cluster.create(pod(name, **using(name)))
        assert await allocation(cluster, "admin") == ["r=n/a"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (claim("c", request(count=2)), NO_DEVICES),
        (
            claim("c", request(class_name="none")),
            "0/1 nodes are available: request r: device class none does not exist. no new claims to deallocate, "
            + NO_HELP,
        ),
        (
            claim("c", request("r", 'device.attributes["x.example.com"].y == 1')),
            'running "DynamicResources" filter plugin: claim default/c: selector #0: CEL runtime error: no such key: y',
        ),
        (
            claim("c", request("r", MODEL)),
            (
                'running "DynamicResources" filter plugin: claim default/c: selector #0: CEL runtime error: CEL result '
                "of type string could not be converted to bool: unsupported native conversion from string to 'bool'"
            ),
        ),
        (
            claim("c", request(allocationMode="All"), constraints=[{"matchAttribute": f"{DRIVER}/none"}]),
            (
                'running "DynamicResources" filter plugin: claim default/c, request r: cannot add device '
                f"{DRIVER}/n/a because a claim constraint would not be satisfied"
            ),
        ),
    ],
)
async def test_the_condition_of_a_pod_says_why_its_claims_are_not_allocated(wanted: Document, expected: str) -> None:
    async with scheduling(node("n")) as cluster:
        for document in (device_class(), resource_slice("n", device("a")), wanted, pod("p", **using("c"))):
            await cluster.create(document)
        assert await why_not(cluster, "p") == expected


async def test_devices_of_an_incomplete_pool_are_not_allocated_until_all_slices_exist() -> None:
    async with scheduling(node("n")) as cluster:
        first = resource_slice("n", device("a"), slices=2)
        for document in (device_class(), first, claim("c"), pod("p", **using("c"))):
            await cluster.create(document)
        assert await why_not(cluster, "p") == NO_DEVICES
        await cluster.create(resource_slice("n", device("b"), name="second", slices=2))
        await cluster.clock.advance(10)
        assert await allocation(cluster, "c") == ["r=n/a"]


async def test_a_pool_with_two_devices_of_one_name_is_invalid() -> None:
    async with scheduling(node("n")) as cluster:
        slices = [resource_slice("n", device("a"), name=name, slices=2) for name in ("x", "y")]
        for document in (device_class(), *slices, claim("c"), pod("p", **using("c"))):
            await cluster.create(document)
        assert "1 invalid resource pools were encountered." in await why_not(cluster, "p")


async def test_the_node_with_the_preferred_alternative_is_chosen() -> None:
    async with scheduling(node("n"), node("o")) as cluster:
        alternatives = [
            {"name": name, "deviceClassName": "gpu", "selectors": [{"cel": {"expression": f'{MODEL} == "{name}"'}}]}
            for name in ("best", "good")
        ]
        wanted = claim("c", {"name": "r", "firstAvailable": alternatives})
        slices = (resource_slice("n", device("good")), resource_slice("o", device("best")))
        for document in (device_class(), *slices, wanted, pod("p", **using("c"))):
            await cluster.create(document)
        assert await node_of(cluster, "p") == "o"
        assert await allocation(cluster, "c") == ["r/best=o/best"]


async def test_a_search_for_devices_ends() -> None:
    async with scheduling(node("n")) as cluster:
        devices = [device(f"d{number}") for number in range(26)]
        wanted = claim("c", request("many", count=10), request("none", "false"))
        for document in (device_class(), resource_slice("n", *devices), wanted, pod("p", **using("c"))):
            await cluster.create(document)
        assert await why_not(cluster, "p") == (
            'running "DynamicResources" filter plugin: node n: timed out trying to allocate devices'
        )
