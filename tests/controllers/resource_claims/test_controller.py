"""The controller that creates the claims of pods and releases claims that pods no longer use."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, running
from tests.controllers.scheduler.devices.objects import (
    allocation,
    claim,
    device,
    device_class,
    resource_slice,
    template,
    using,
)
from tests.controllers.scheduler.scheduling import add_node, node, node_of, pod

pytestmark = pytest.mark.anyio

NAMES = ("resourceclaim-controller", "scheduler")
ENDED = {"phase": "Succeeded"}


async def prepare(cluster: Cluster, *documents: Document) -> None:
    """Create a node with one device, and other objects."""
    await add_node(cluster, node("n"))
    for document in (device_class(), resource_slice("n", device("a")), *documents):
        await cluster.create(document)


async def claims(cluster: Cluster) -> list[Document]:
    found = await cluster.store("resourceclaims").list("default", ListOptions())
    return [stored.document for stored in found.items]


async def end(cluster: Cluster, name: str) -> None:
    await cluster.change("pods", name, "default", "status", status=ENDED)


async def messages(cluster: Cluster) -> list[str]:
    found = await cluster.store("events").list("default", ListOptions())
    return [stored.document["message"] for stored in found.items]


async def test_a_claim_is_created_from_the_template_of_a_pod() -> None:
    async with running(*NAMES) as cluster:
        await prepare(cluster, template("t"))
        created = await cluster.create(pod("p", **using(template="t")))
        (made,) = await claims(cluster)
        status = (await cluster.get("pods", "p") or {})["status"]
        assert await node_of(cluster, "p") == "n"
    assert made["metadata"]["name"].startswith("p-made-")
    assert made["metadata"]["labels"] == {"app": "web"}
    assert made["metadata"]["annotations"] == {"resource.kubernetes.io/pod-claim-name": "made"}
    owner: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": created.uid, "controller": True}
    assert made["metadata"]["ownerReferences"] == [owner]
    assert status["resourceClaimStatuses"] == [{"name": "made", "resourceClaimName": made["metadata"]["name"]}]


async def test_long_names_of_pods_and_claims_are_shortened_in_proportion() -> None:
    async with running(*NAMES) as cluster:
        await prepare(cluster, template("t"))
        document = pod("p" * 60, resourceClaims=[{"name": "c" * 60, "resourceClaimTemplateName": "t"}])
        await cluster.create(document)
        (made,) = await claims(cluster)
    assert made["metadata"]["name"][:57].rstrip("-").startswith("p" * 28 + "-" + "c" * 28)


async def test_a_missing_template_is_reported_and_used_once_it_exists() -> None:
    async with running(*NAMES) as cluster:
        await prepare(cluster)
        await cluster.create(pod("p", **using(template="t")))
        why = 'resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found'
        assert await messages(cluster) == [f"PodResourceClaim made: {why}"]
        await cluster.create(template("t"))
        assert await node_of(cluster, "p") == "n"


async def test_a_generated_claim_that_is_deleted_is_created_again_after_an_hour() -> None:
    async with running("resourceclaim-controller") as cluster:
        await prepare(cluster, template("t"))
        await cluster.create(pod("p", **using(template="t")))
        (first,) = await claims(cluster)
        await cluster.delete("resourceclaims", first["metadata"]["name"])
        assert await claims(cluster) == []
        await cluster.clock.advance(3601)
        await cluster.change("pods", "p", metadata={"labels": {"app": "web"}})
        (second,) = await claims(cluster)
    assert first["metadata"]["uid"] != second["metadata"]["uid"]


async def test_the_generated_claim_of_an_ended_pod_is_deleted() -> None:
    async with running(*NAMES) as cluster:
        await prepare(cluster, template("t"))
        await cluster.create(pod("p", **using(template="t")))
        await end(cluster, "p")
        assert await claims(cluster) == []


async def test_a_claim_of_users_is_deallocated_when_its_last_pod_has_ended() -> None:
    async with running(*NAMES) as cluster:
        await prepare(cluster, claim("c"))
        for name in ("p", "q"):
            await cluster.create(pod(name, **using("c")))
        await end(cluster, "p")
        assert await allocation(cluster, "c") == ["r=n/a"]
        await cluster.delete("pods", "q")
        await end(cluster, "q")
        (left,) = await claims(cluster)
    assert left["status"] == {}
    assert "finalizers" not in left["metadata"]


async def test_the_devices_of_a_deleted_pod_go_to_the_next_pod() -> None:
    async with running(*NAMES) as cluster:
        await prepare(cluster, claim("c"), claim("d"))
        await cluster.create(pod("p", terminationGracePeriodSeconds=0, **using("c")))
        await cluster.create(pod("q", **using("d")))
        await cluster.delete("pods", "p")
        await cluster.clock.advance(10)
        assert await allocation(cluster, "d") == ["r=n/a"]


async def test_a_deleted_claim_stays_until_its_pod_has_ended() -> None:
    async with running(*NAMES) as cluster:
        await prepare(cluster, claim("c"))
        await cluster.create(pod("p", **using("c")))
        await cluster.delete("resourceclaims", "c")
        assert len(await claims(cluster)) == 1
        await end(cluster, "p")
        assert await claims(cluster) == []


async def test_an_allocated_claim_is_reserved_for_a_pod_that_was_bound_by_a_user() -> None:
    async with running(*NAMES) as cluster:
        await prepare(cluster, claim("c"))
        await cluster.create(pod("p", **using("c")))
        created = await cluster.create(pod("q", nodeName="n", **using("c")))
        (found,) = await claims(cluster)
    assert created.uid in [one["uid"] for one in found["status"]["reservedFor"]]
