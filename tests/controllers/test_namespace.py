from typing import Any, Final

import pytest

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.namespaces.types import NamespaceStatus
from memkube.controllers.namespace.conditions import Trouble, set_conditions
from tests.controllers.cluster import Cluster, config_map, pod, running

HELD: Final[dict[str, Any]] = {"finalizers": ["example.com/hold"]}

pytestmark = pytest.mark.anyio


async def make_namespace(cluster: Cluster) -> None:
    await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})


async def conditions(cluster: Cluster) -> dict[str, dict[str, Any]]:
    namespace = await cluster.get("namespaces", "team")
    assert namespace is not None
    return {condition["type"]: condition for condition in namespace["status"]["conditions"]}


async def test_an_empty_namespace_goes_after_five_seconds() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(4.9)
        assert await cluster.get("namespaces", "team") is not None
        await cluster.clock.advance(0.1)
        assert await cluster.get("namespaces", "team") is None


async def test_a_namespace_that_is_not_deleted_stays() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        await cluster.clock.advance(3600)
        assert await cluster.get("namespaces", "team") is not None


async def test_objects_of_every_kind_go_with_their_namespace() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        await cluster.create(config_map("a"), namespace="team")
        await cluster.create(pod("a"), namespace="team")
        await cluster.create(config_map("a"))
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(5)
        assert await cluster.get("configmaps", "a", "team") is None
        assert await cluster.get("pods", "a", "team") is None
        assert await cluster.get("configmaps", "a") is not None


async def test_what_remains_is_counted_by_kind_and_by_finalizer() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        await cluster.create(config_map("a", **HELD), namespace="team")
        await cluster.create(config_map("b", finalizers=["example.com/other", "example.com/hold"]), namespace="team")
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(5)
        found = await conditions(cluster)
        assert found["NamespaceContentRemaining"]["message"] == (
            "Some resources are remaining: configmaps. has 2 resource instances"
        )
        assert found["NamespaceFinalizersRemaining"]["message"] == (
            "Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances, "
            "example.com/other in 1 resource instances"
        )


async def test_a_namespace_goes_when_its_last_object_is_released() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        await cluster.create(config_map("a", **HELD), namespace="team")
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(5)
        await cluster.change("configmaps", "a", "team", metadata={"finalizers": []})
        await cluster.clock.advance(8)
        assert await cluster.get("namespaces", "team") is None


async def test_a_namespace_goes_as_soon_as_its_last_object_has() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        for name in ("a", "b"):
            await cluster.create(config_map(name, **HELD), namespace="team")
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(5)
        await cluster.change("configmaps", "a", "team", metadata={"finalizers": []})
        message = (await conditions(cluster))["NamespaceContentRemaining"]["message"]
        assert message == "Some resources are remaining: configmaps. has 2 resource instances"
        await cluster.change("configmaps", "b", "team", metadata={"finalizers": []})
        assert await cluster.get("namespaces", "team") is None


async def test_other_content_goes_as_soon_as_the_last_pod_has() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        await cluster.create(pod("a", **HELD), namespace="team")
        await cluster.create(config_map("a", **HELD), namespace="team")
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(5)
        await cluster.change("pods", "a", "team", metadata={"finalizers": []})
        held = await cluster.get("configmaps", "a", "team")
        assert held is not None
        assert "deletionTimestamp" in held["metadata"]


async def test_where_nodes_are_simulated_nobody_waits_for_a_namespace() -> None:
    async with running("namespace", "kubelet", "scheduler", "node-lifecycle") as cluster:
        await make_namespace(cluster)
        for name in ("a", "b", "c"):
            await cluster.create(pod(name), namespace="team")
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(1)
        assert await cluster.get("namespaces", "team") is None


async def test_a_pod_that_stays_holds_all_other_content_and_the_conditions_tell_of_nothing() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        await cluster.create(pod("a", **HELD), namespace="team")
        await cluster.create(config_map("a"), namespace="team")
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(5)
        assert await cluster.get("configmaps", "a", "team") is not None
        assert {condition["status"] for condition in (await conditions(cluster)).values()} == {"False"}


async def test_items_that_remain_for_no_reason_are_a_failure() -> None:
    async with running("namespace") as cluster:
        await make_namespace(cluster)
        bound = pod("a")
        bound["spec"] = {**bound["spec"], "nodeName": "one", "terminationGracePeriodSeconds": 2}
        await cluster.create(bound, namespace="team")
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(5)
        assert (await conditions(cluster))["NamespaceDeletionContentFailure"]["message"] == (
            "Failed to delete all resource types, 1 remaining: "
            "unexpected items still remain in namespace: team for gvr: /v1, Resource=pods"
        )


async def test_finalizers_of_others_hold_an_empty_namespace() -> None:
    async with running("namespace") as cluster:
        metadata = {"name": "team"}
        spec = {"finalizers": ["example.com/mine"]}
        await cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata, "spec": spec})
        await cluster.delete("namespaces", "team")
        await cluster.clock.advance(60)
        namespace = await cluster.get("namespaces", "team")
        assert namespace is not None
        assert namespace["spec"]["finalizers"] == ["example.com/mine"]


def test_a_condition_changes_its_time_only_with_its_status() -> None:
    first, second = Time("2026-01-01T00:00:00Z"), Time("2026-01-01T00:00:09Z")
    status = NamespaceStatus()
    set_conditions(status, {"NamespaceContentRemaining": Trouble("R", "two")}, first)
    set_conditions(status, {"NamespaceContentRemaining": Trouble("R", "one")}, second)
    condition = status.conditions[3]
    assert (condition.message, condition.lastTransitionTime) == ("one", first)
    set_conditions(status, {}, second)
    assert (status.conditions[3].reason, status.conditions[3].lastTransitionTime) == ("ContentRemoved", second)
