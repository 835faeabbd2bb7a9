import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, owned_by, running
from tests.controllers.services import CHANGED, SERVICE_NAME, endpoints, messages, service, slices

CONTROLLER = "endpointslice-mirroring-controller"
SUBSET = {
    "addresses": [{"ip": "192.0.2.1", "hostname": "one", "nodeName": "n"}],
    "notReadyAddresses": [{"ip": "192.0.2.2"}],
    "ports": [{"name": "p", "port": 80, "appProtocol": "http"}],
}

pytestmark = pytest.mark.anyio


async def mirrored(cluster: Cluster, *subsets: Document, **metadata: object) -> None:
    await cluster.create(service(selector={}))
    await cluster.create(endpoints("web", *subsets, **metadata))


async def only_slice(cluster: Cluster) -> Document:
    (stored,) = await slices(cluster)
    return stored.document


async def test_a_slice_mirrors_a_subset() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service(selector={}))
        owner = await cluster.create(endpoints("web", SUBSET))
        found = await only_slice(cluster)
        assert found["endpoints"] == [
            {"addresses": ["192.0.2.1"], "conditions": {"ready": True}, "hostname": "one", "nodeName": "n"},
            {"addresses": ["192.0.2.2"], "conditions": {"ready": False}},
        ]
        assert found["ports"] == [{"name": "p", "protocol": "TCP", "port": 80, "appProtocol": "http"}]
        assert found["metadata"]["ownerReferences"] == [owned_by(owner, controller=True, blockOwnerDeletion=True)]


async def test_each_family_and_each_set_of_ports_has_a_slice() -> None:
    async with running(CONTROLLER) as cluster:
        families = {"addresses": [{"ip": "192.0.2.1"}, {"ip": "fd00::1"}], "ports": [{"port": 80}]}
        await mirrored(cluster, families, {"addresses": [{"ip": "192.0.2.9"}], "ports": [{"port": 81}]})
        known = [(one.document["addressType"], one.document["ports"][0]["port"]) for one in await slices(cluster)]
        assert sorted(known) == [("IPv4", 80), ("IPv4", 81), ("IPv6", 80)]


async def test_labels_and_most_annotations_are_mirrored() -> None:
    async with running(CONTROLLER) as cluster:
        dropped = {CHANGED: "2026-01-01T00:00:00Z", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
        await mirrored(cluster, SUBSET, labels={"a": "b"}, annotations={"c": "d", **dropped})
        metadata = (await only_slice(cluster))["metadata"]
        manager = {"endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io"}
        assert metadata["labels"] == {"a": "b", SERVICE_NAME: "web", **manager}
        assert metadata["annotations"] == {"c": "d"}
        await cluster.change("endpoints", "web", metadata={"annotations": {"e": "f"}})
        changed = (await only_slice(cluster))["metadata"]
        assert (changed["annotations"], changed["uid"]) == ({"e": "f"}, metadata["uid"])


async def test_an_update_takes_the_generated_name_away() -> None:
    async with running(CONTROLLER) as cluster:
        await mirrored(cluster, SUBSET)
        assert (await only_slice(cluster))["metadata"]["generateName"] == "web-"
        await cluster.change("endpoints", "web", subsets=[{**SUBSET, "notReadyAddresses": []}])
        assert "generateName" not in (await only_slice(cluster))["metadata"]


async def test_a_slice_is_used_for_other_ports() -> None:
    async with running(CONTROLLER) as cluster:
        await mirrored(cluster, SUBSET)
        uid = (await only_slice(cluster))["metadata"]["uid"]
        await cluster.change("endpoints", "web", subsets=[{**SUBSET, "ports": [{"port": 81}]}])
        found = await only_slice(cluster)
        assert (found["metadata"]["uid"], found["ports"][0]["port"]) == (uid, 81)


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
        {"annotations": {"control-plane.alpha.kubernetes.io/leader": "{}"}},
    ],
)
async def test_some_endpoints_are_not_mirrored(metadata: Document) -> None:
    async with running(CONTROLLER) as cluster:
        await mirrored(cluster, SUBSET)
        await cluster.change("endpoints", "web", metadata=metadata)
        assert await slices(cluster) == []
        await cluster.change("endpoints", "web", metadata={"labels": {}, "annotations": {}})
        assert len(await slices(cluster)) == 1


async def test_endpoints_without_a_service_are_not_mirrored() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(endpoints("web", SUBSET))
        assert await slices(cluster) == []
        await cluster.create(service(selector={}))
        assert len(await slices(cluster)) == 1
        await cluster.delete("services", "web")
        assert await slices(cluster) == []


async def test_a_selector_takes_the_slices_away() -> None:
    async with running(CONTROLLER) as cluster:
        await mirrored(cluster, SUBSET)
        await cluster.change("services", "web", spec=service()["spec"])
        assert await slices(cluster) == []


async def test_deleted_endpoints_take_their_slices_along() -> None:
    async with running(CONTROLLER) as cluster:
        await mirrored(cluster, SUBSET)
        await cluster.delete("endpoints", "web")
        assert await slices(cluster) == []


async def test_changes_by_others_are_undone() -> None:
    async with running(CONTROLLER) as cluster:
        await mirrored(cluster, SUBSET)
        await cluster.change("endpointslices", (await only_slice(cluster))["metadata"]["name"], endpoints=[])
        assert len((await only_slice(cluster))["endpoints"]) == 2


async def test_at_most_a_thousand_addresses_are_mirrored() -> None:
    async with running(CONTROLLER) as cluster:
        addresses = [{"ip": f"10.0.{number // 250}.{number % 250}"} for number in range(1001)]
        await mirrored(cluster, {"addresses": addresses, "ports": [{"port": 80}]})
        assert len((await only_slice(cluster))["endpoints"]) == 1000
        limit = "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset."
        assert await messages(cluster, "TooManyAddressesToMirror") == [f"{limit} 1 addresses were skipped"]
