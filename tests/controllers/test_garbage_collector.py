from typing import Any

import pytest

from memkube.controllers.garbage_collector.graph import AbsentOwners, Identity
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, config_map, owned_by, running, widgets

ABSENT = {"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "11111111-2222-4333-8444-555555555555"}
HELD = {"finalizers": ["example.com/hold"]}

pytestmark = pytest.mark.anyio


async def owner_and_dependent(cluster: Cluster, block: bool | None, **metadata: Any) -> None:
    owner = await cluster.create(config_map("a"))
    await cluster.create(config_map("b", owned_by(owner, blockOwnerDeletion=block), **metadata))


async def release(cluster: Cluster, name: str) -> None:
    await cluster.change("configmaps", name, metadata={"finalizers": []})


async def metadata(cluster: Cluster, name: str) -> dict[str, Any]:
    document = await cluster.get("configmaps", name)
    assert document is not None
    found: dict[str, Any] = document["metadata"]
    return found


async def test_dependents_go_after_their_owner() -> None:
    async with running("garbage-collector") as cluster:
        await owner_and_dependent(cluster, None)
        await cluster.delete("configmaps", "a")
        assert await cluster.get("configmaps", "b") is None


async def test_a_dependent_with_a_finalizer_terminates() -> None:
    async with running("garbage-collector") as cluster:
        await owner_and_dependent(cluster, None, **HELD)
        await cluster.delete("configmaps", "a")
        assert "deletionTimestamp" in await metadata(cluster, "b")


async def test_a_chain_goes_from_the_top_down() -> None:
    async with running("garbage-collector") as cluster:
        top = await cluster.create(config_map("a"))
        middle = await cluster.create(config_map("b", owned_by(top)))
        await cluster.create(config_map("c", owned_by(middle)))
        await cluster.delete("configmaps", "a")
        assert await cluster.get("configmaps", "c") is None


async def test_an_owner_deleted_in_the_foreground_waits_for_a_blocking_dependent() -> None:
    async with running("garbage-collector") as cluster:
        await owner_and_dependent(cluster, True, **HELD)
        await cluster.delete("configmaps", "a", "Foreground")
        assert (await metadata(cluster, "a"))["finalizers"] == ["foregroundDeletion"]
        await release(cluster, "b")
        assert await cluster.get("configmaps", "a") is None


@pytest.mark.parametrize("block", [None, False])
async def test_an_owner_does_not_wait_for_a_dependent_that_does_not_block(block: bool | None) -> None:
    async with running("garbage-collector") as cluster:
        await owner_and_dependent(cluster, block, **HELD)
        await cluster.delete("configmaps", "a", "Foreground")
        assert await cluster.get("configmaps", "a") is None
        assert "deletionTimestamp" in await metadata(cluster, "b")


async def test_the_middle_of_a_chain_is_deleted_in_the_foreground_too() -> None:
    async with running("garbage-collector") as cluster:
        top = await cluster.create(config_map("a"))
        middle = await cluster.create(config_map("b", owned_by(top, blockOwnerDeletion=True)))
        await cluster.create(config_map("c", owned_by(middle, blockOwnerDeletion=True), **HELD))
        await cluster.delete("configmaps", "a", "Foreground")
        assert (await metadata(cluster, "b"))["finalizers"] == ["foregroundDeletion"]
        await release(cluster, "c")
        assert await cluster.get("configmaps", "a") is None


async def test_a_reference_that_stops_blocking_lets_its_owner_go() -> None:
    async with running("garbage-collector") as cluster:
        await owner_and_dependent(cluster, True, **HELD)
        await cluster.delete("configmaps", "a", "Foreground")
        references = (await metadata(cluster, "b"))["ownerReferences"]
        await cluster.change(
            "configmaps", "b", metadata={"ownerReferences": [{**references[0], "blockOwnerDeletion": False}]}
        )
        assert await cluster.get("configmaps", "a") is None


async def test_two_objects_that_own_each_other_go_together() -> None:
    async with running("garbage-collector") as cluster:
        first = await cluster.create(config_map("a"))
        second = await cluster.create(config_map("b", owned_by(first, blockOwnerDeletion=True)))
        await cluster.change(
            "configmaps", "a", metadata={"ownerReferences": [owned_by(second, blockOwnerDeletion=True)]}
        )
        await cluster.delete("configmaps", "a", "Foreground")
        assert await cluster.get("configmaps", "a") is None
        assert await cluster.get("configmaps", "b") is None


async def test_orphans_lose_the_reference_to_their_owner() -> None:
    async with running("garbage-collector") as cluster:
        await owner_and_dependent(cluster, None)
        await cluster.delete("configmaps", "a", "Orphan")
        assert await cluster.get("configmaps", "a") is None
        assert "ownerReferences" not in await metadata(cluster, "b")


async def test_an_object_with_another_owner_only_loses_the_reference() -> None:
    async with running("garbage-collector") as cluster:
        first = await cluster.create(config_map("a"))
        second = await cluster.create(config_map("x"))
        await cluster.create(config_map("b", owned_by(first), owned_by(second)))
        await cluster.delete("configmaps", "a")
        assert [r["name"] for r in (await metadata(cluster, "b"))["ownerReferences"]] == ["x"]


async def test_an_object_of_an_absent_owner_goes_at_once() -> None:
    async with running("garbage-collector") as cluster:
        await cluster.create(config_map("b", ABSENT))
        assert await cluster.get("configmaps", "b") is None


@pytest.mark.parametrize("wrong", [{"name": "z"}, {"kind": "Pod"}, {"uid": ABSENT["uid"]}])
async def test_an_owner_under_wrong_coordinates_is_absent(wrong: dict[str, str]) -> None:
    async with running("garbage-collector") as cluster:
        owner = await cluster.create(config_map("a"))
        await cluster.create(config_map("b", {**owned_by(owner), **wrong}))
        assert await cluster.get("configmaps", "b") is None
        assert await cluster.get("configmaps", "a") is not None


async def test_dependents_that_disagree_about_an_absent_owner_both_go() -> None:
    async with running("garbage-collector") as cluster:
        await cluster.create(config_map("b", ABSENT, **HELD))
        await cluster.create(config_map("c", {**ABSENT, "name": "other"}))
        await cluster.clock.advance(1)
        assert await cluster.get("configmaps", "c") is None


async def test_an_owner_of_a_kind_that_is_not_served_keeps_its_dependents() -> None:
    async with running("garbage-collector") as cluster:
        await cluster.create(config_map("b", {**ABSENT, "kind": "Widget", "apiVersion": "example.com/v1"}))
        await cluster.clock.advance(60)
        assert await cluster.get("configmaps", "b") is not None


async def test_kinds_that_are_served_later_are_followed() -> None:
    async with running("garbage-collector") as cluster:
        cluster.registry.catalog.add(widgets("example.com", "Widget", namespaced=False))
        document = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}
        owner = await cluster.create(document)
        await cluster.create(config_map("b", owned_by(owner)))
        assert await cluster.get("configmaps", "b") is not None
        await cluster.delete("widgets", "w")
        assert await cluster.get("configmaps", "b") is None


async def test_a_cluster_scoped_object_is_not_deleted_for_a_namespaced_owner() -> None:
    async with running("garbage-collector") as cluster:
        cluster.registry.catalog.add(widgets("example.com", "Widget", namespaced=False))
        owner = await cluster.create(config_map("a"))
        metadata = {"name": "w", "ownerReferences": [owned_by(owner)]}
        await cluster.create({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata})
        await cluster.delete("configmaps", "a")
        assert await cluster.get("widgets", "w") is not None


async def test_an_owner_in_another_namespace_is_absent() -> None:
    async with running("garbage-collector") as cluster:
        owner = await cluster.create(config_map("a"), namespace="kube-public")
        await cluster.create(config_map("b", owned_by(owner)))
        assert await cluster.get("configmaps", "b") is None


def test_absent_owners_are_forgotten_in_the_order_of_use() -> None:
    owners = [Identity("ConfigMap", "v1", "", str(number), str(number)) for number in range(501)]
    absent = AbsentOwners()
    for owner in owners[:500]:
        absent.add(owner)
    assert owners[0] in absent
    absent.add(owners[500])
    assert owners[0] in absent
    assert owners[1] not in absent


async def test_an_owner_in_another_namespace_is_reported() -> None:
    async with running("garbage-collector") as cluster:
        owner = await cluster.create(config_map("a"), namespace="kube-public")
        solid = await cluster.create(config_map("c"))
        await cluster.create(config_map("b", owned_by(owner), owned_by(solid)))
        listed = await cluster.registry.find("", "v1", "events").list("default", ListOptions())
        (event,) = (stored.document for stored in listed.items)
        assert (event["reason"], event["type"]) == ("OwnerRefInvalidNamespace", "Warning")
        assert (event["involvedObject"]["name"], event["source"]["component"]) == ("b", "garbage-collector-controller")
        named = f"[v1/ConfigMap, namespace: default, name: a, uid: {owner.uid}]"
        assert event["message"] == f'ownerRef {named} does not exist in namespace "default"'
