"""Controllers handle kinds that are defined, changed and removed while the server runs."""

import pytest

from tests.controllers.cluster import config_map, running
from tests.custom.gadgets import gadget, gadgets

pytestmark = pytest.mark.anyio


async def test_dependents_of_a_custom_object_go_with_it() -> None:
    async with running("garbage-collector") as cluster:
        cluster.registry.catalog.serve(gadgets())
        owner = await cluster.create(gadget("owner"))
        reference = {"apiVersion": "example.com/v1", "kind": "Gadget", "name": "owner", "uid": owner.uid}
        await cluster.create(config_map("child", reference))
        await cluster.delete("gadgets", "owner", "Background")
        assert await cluster.get("configmaps", "child") is None


async def test_a_custom_object_goes_with_its_owner() -> None:
    async with running("garbage-collector") as cluster:
        owner = await cluster.create(config_map("owner"))
        cluster.registry.catalog.serve(gadgets())
        await cluster.settle()
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.uid}
        child = gadget("child")
        child["metadata"]["ownerReferences"] = [reference]
        await cluster.create(child)
        await cluster.delete("configmaps", "owner", "Background")
        assert await cluster.get("gadgets", "child") is None


async def test_informers_follow_a_kind_that_is_replaced() -> None:
    async with running("garbage-collector") as cluster:
        cluster.registry.catalog.serve(gadgets())
        await cluster.settle()
        cluster.registry.catalog.replace(gadgets(taste={"type": "string"}))
        await cluster.settle()
        owner = await cluster.create(gadget("owner", taste="sweet"))
        reference = {"apiVersion": "example.com/v1", "kind": "Gadget", "name": "owner", "uid": owner.uid}
        await cluster.create(config_map("child", reference))
        await cluster.delete("gadgets", "owner", "Background")
        assert await cluster.get("configmaps", "child") is None


async def test_dependents_of_a_kind_that_is_removed_stay() -> None:
    async with running("garbage-collector") as cluster:
        cluster.registry.catalog.serve(gadgets())
        owner = await cluster.create(gadget("owner"))
        reference = {"apiVersion": "example.com/v1", "kind": "Gadget", "name": "owner", "uid": owner.uid}
        await cluster.create(config_map("child", reference))
        cluster.registry.catalog.remove("example.com", "gadgets")
        await cluster.settle()
        await cluster.clock.advance(60)
        assert await cluster.get("configmaps", "child") is not None


async def test_dependents_are_collected_when_another_version_has_taken_over() -> None:
    async with running("garbage-collector") as cluster:
        both = gadgets()
        cluster.registry.catalog.serve(both)
        owner = await cluster.create(gadget("owner"))
        reference = {"apiVersion": "example.com/v1beta1", "kind": "Gadget", "name": "owner", "uid": owner.uid}
        await cluster.create(config_map("child", reference))
        cluster.registry.catalog.replace([resource for resource in both if resource.version == "v1beta1"])
        await cluster.settle()
        assert await cluster.get("configmaps", "child") is not None
        await cluster.delete("gadgets", "owner", "Background")
        assert await cluster.get("configmaps", "child") is None


async def test_a_namespace_ends_with_its_custom_objects() -> None:
    async with running("namespace") as cluster:
        cluster.registry.catalog.serve(gadgets())
        await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        await cluster.create(gadget("a"), namespace="shop")
        await cluster.delete("namespaces", "shop")
        await cluster.clock.advance(60)
        assert await cluster.get("gadgets", "a", namespace="shop") is None
        assert await cluster.get("namespaces", "shop") is None
