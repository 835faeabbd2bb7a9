from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.registry.objects.stored import StoredObject
from tests.controllers.cluster import Cluster, owned_by, running
from tests.controllers.services import (
    CHANGED,
    SERVICE_NAME,
    backend,
    kill,
    messages,
    node,
    service,
    serving,
    slices,
    states,
)

CONTROLLER = "endpointslice-controller"
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
LABELS = {SERVICE_NAME: "web", MANAGED_BY: "endpointslice-controller.k8s.io"}

pytestmark = pytest.mark.anyio


async def only_slice(cluster: Cluster) -> Document:
    (stored,) = await slices(cluster)
    return stored.document


async def ready_web(cluster: Cluster, **spec: Any) -> StoredObject:
    """Create a node, a Service and a ready pod ``a`` behind it."""
    await cluster.create(node())
    stored = await cluster.create(service(**spec))
    await cluster.create(backend("a", "10.0.0.1"))
    return stored


async def test_a_slice_has_the_pods_ports_and_the_service_as_owner() -> None:
    async with running(CONTROLLER) as cluster:
        owner = await ready_web(cluster)
        found = await only_slice(cluster)
        metadata = found["metadata"]
        assert metadata["ownerReferences"] == [owned_by(owner, controller=True, blockOwnerDeletion=True)]
        assert (metadata["labels"], metadata["generateName"], found["addressType"]) == (LABELS, "web-", "IPv4")
        assert found["ports"] == [{"name": "", "protocol": "TCP", "port": 8080}]
        (endpoint,) = found["endpoints"]
        assert (endpoint["addresses"], endpoint["nodeName"]) == (["10.0.0.1"], "n1")
        assert endpoint["targetRef"]["name"] == "a"


async def test_without_pods_there_is_an_empty_slice_which_is_used_later() -> None:
    async with running(CONTROLLER) as cluster:
        created = await cluster.create(service())
        empty = await only_slice(cluster)
        assert (empty["endpoints"], empty["ports"]) == (None, None)
        assert empty["metadata"]["annotations"][CHANGED] == created.document["metadata"]["creationTimestamp"]
        await cluster.create(node())
        await cluster.create(backend("a", "10.0.0.1"))
        later = await only_slice(cluster)
        assert (later["metadata"]["name"], len(later["endpoints"])) == (empty["metadata"]["name"], 1)
        await kill(cluster, "a")
        assert (await only_slice(cluster))["metadata"]["name"] == empty["metadata"]["name"]


@pytest.mark.parametrize(
    ("publishes_all", "unready", "leaving"),
    [(False, "", "serving terminating"), (True, "ready", "ready serving terminating")],
)
async def test_conditions_tell_of_readiness_and_termination(publishes_all: bool, unready: str, leaving: str) -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster, publishNotReadyAddresses=publishes_all)
        await cluster.create(backend("b", "10.0.0.2", ready=False))
        assert await states(cluster) == {"10.0.0.1": "ready serving", "10.0.0.2": unready}
        await cluster.delete("pods", "a")
        assert (await states(cluster))["10.0.0.1"] == leaving


async def test_a_forced_deletion_shows_the_pod_as_terminating_first() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        await cluster.create(backend("b", "10.0.0.2"))
        before = (await only_slice(cluster))["metadata"]["generation"]
        await kill(cluster, "a")
        assert (await states(cluster), (await only_slice(cluster))["metadata"]["generation"] - before) == (
            {"10.0.0.2": "ready serving"},
            2,
        )


async def test_ended_pods_are_left_out() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        status = {**serving("10.0.0.1", ready=False), "phase": "Succeeded"}
        await cluster.change("pods", "a", subresource="status", status=status)
        assert await states(cluster) == {}


@pytest.mark.parametrize("on", ["missing", ""])
async def test_a_pod_without_a_node_is_reported_until_the_node_comes(on: str) -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        await cluster.create(backend("b", "10.0.0.2", on=on))
        assert list(await states(cluster)) == ["10.0.0.1"]
        why = f"skipping Pod b for Service default/web: Node {on} Not Found"
        failed = f"Error updating Endpoint Slices for Service default/web: {why}"
        assert await messages(cluster, "FailedToUpdateEndpointSlices") == [failed]
        await cluster.create(node("missing"))
        await cluster.clock.advance(0.9)
        assert list(await states(cluster)) == ["10.0.0.1"]
        await cluster.clock.advance(0.1)
        assert len(await states(cluster)) == (2 if on else 1)


async def test_a_pod_on_a_missing_node_is_published_if_all_are() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service(publishNotReadyAddresses=True))
        await cluster.create(backend("a", "10.0.0.1", on=""))
        (endpoint,) = (await only_slice(cluster))["endpoints"]
        assert "nodeName" not in endpoint


async def test_a_named_port_with_different_numbers_makes_several_slices() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster, ports=[{"port": 80, "targetPort": "http"}])
        ports = [{"name": "http", "containerPort": 9090}]
        await cluster.create(backend("b", "10.0.0.2", containers=[{"name": "app", "image": "nginx", "ports": ports}]))
        known = {stored.document["ports"][0]["port"]: stored.document for stored in await slices(cluster)}
        assert {number: one["endpoints"][0]["addresses"] for number, one in known.items()} == {
            8080: ["10.0.0.1"],
            9090: ["10.0.0.2"],
        }


async def test_pods_without_the_named_port_are_endpoints_without_ports() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster, ports=[{"port": 80, "targetPort": "missing"}])
        found = await only_slice(cluster)
        assert (len(found["endpoints"]), found["ports"]) == (1, None)


async def test_addresses_of_another_family_are_left_out() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        both = {**serving("10.0.0.1"), "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]}
        await cluster.change("pods", "a", subresource="status", status=both)
        (endpoint,) = (await only_slice(cluster))["endpoints"]
        assert endpoint["addresses"] == ["10.0.0.1"]


async def test_a_hundred_endpoints_are_in_a_slice() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(node())
        for number in range(250):
            await cluster.create(backend(f"p{number}", f"10.0.1.{number}"))
        await cluster.create(service())
        assert sorted(len(stored.document["endpoints"]) for stored in await slices(cluster)) == [50, 100, 100]


async def test_labels_of_the_service_are_those_of_the_slices() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster, clusterIP="None")
        labels = {"team": "x", SERVICE_NAME: "other"}
        await cluster.change("services", "web", metadata={"labels": labels})
        headless = {"service.kubernetes.io/headless": ""}
        assert (await only_slice(cluster))["metadata"]["labels"] == {**LABELS, **headless, "team": "x"}
        await cluster.change("services", "web", metadata={"labels": {}})
        assert (await only_slice(cluster))["metadata"]["labels"] == {**LABELS, **headless}


async def test_changes_by_others_are_undone_after_a_second() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        found = await only_slice(cluster)
        await cluster.change("endpointslices", found["metadata"]["name"], endpoints=[])
        assert await states(cluster) == {}
        await cluster.clock.advance(1)
        assert await states(cluster) == {"10.0.0.1": "ready serving"}


async def test_a_slice_that_others_delete_is_made_again() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        await cluster.delete("endpointslices", (await only_slice(cluster))["metadata"]["name"])
        assert await slices(cluster) == []
        await cluster.clock.advance(1)
        assert await states(cluster) == {"10.0.0.1": "ready serving"}


async def test_a_slice_with_another_manager_keeps_the_service_from_being_computed() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        found = await only_slice(cluster)
        await cluster.change("endpointslices", found["metadata"]["name"], metadata={"labels": {SERVICE_NAME: "web"}})
        await cluster.create(backend("b", "10.0.0.2"))
        await cluster.clock.advance(10)
        assert await states(cluster) == {"10.0.0.1": "ready serving"}


async def test_slices_of_other_managers_are_left_alone() -> None:
    async with running(CONTROLLER) as cluster:
        foreign = {"name": "mine", "labels": {SERVICE_NAME: "web", MANAGED_BY: "me"}}
        body = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": foreign}
        stored = await cluster.create({**body, "addressType": "IPv4", "endpoints": [], "ports": []})
        await ready_web(cluster)
        assert len(await slices(cluster)) == 2
        assert (await cluster.get("endpointslices", "mine") or {})["metadata"] == stored.document["metadata"]


async def test_a_service_that_ceases_to_select_keeps_its_slices() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        before = await only_slice(cluster)
        await cluster.change("services", "web", spec={**service()["spec"], "selector": {}})
        await cluster.delete("pods", "a")
        assert await only_slice(cluster) == before


async def test_a_deleted_service_takes_its_slices_along() -> None:
    async with running(CONTROLLER, "garbage-collector-controller") as cluster:
        await ready_web(cluster)
        await cluster.delete("services", "web")
        assert await slices(cluster) == []


async def test_slices_of_a_former_service_of_the_name_are_replaced() -> None:
    async with running(CONTROLLER) as cluster:
        await ready_web(cluster)
        former = await only_slice(cluster)
        await cluster.delete("services", "web")
        await cluster.create(service())
        assert (await only_slice(cluster))["metadata"]["name"] != former["metadata"]["name"]
        assert await states(cluster) == {"10.0.0.1": "ready serving"}


async def test_nothing_is_made_for_a_terminating_service() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create({**service(), "metadata": {"name": "web", "finalizers": ["example.com/held"]}})
        await cluster.delete("services", "web")
        await cluster.delete("endpointslices", (await only_slice(cluster))["metadata"]["name"])
        await cluster.clock.advance(10)
        assert await slices(cluster) == []
