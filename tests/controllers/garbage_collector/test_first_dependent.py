import pytest

from memkube.apimachinery.model import Document
from memkube.apis.coordination.v1.leases.types import Lease
from memkube.registry.declarations.request_options import WriteContext
from tests.controllers.cluster import Cluster, config_map, owned_by, running

pytestmark = pytest.mark.anyio


def collector_sleeps(cluster: Cluster) -> bool:
    return not cluster.parts.dependents.may_exist


async def create_lease(cluster: Cluster, owner: Document, manager: str = "user") -> None:
    metadata = {"name": owner["name"], "namespace": "kube-node-lease", "ownerReferences": [owner]}
    lease = Lease.from_document({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata})
    await cluster.store("leases").create(lease, WriteContext(namespace="kube-node-lease", manager=manager))
    await cluster.settle()


async def test_the_lease_of_a_node_leaves_the_collector_asleep() -> None:
    async with running("kubelet", "garbage-collector") as cluster:
        assert await cluster.get("leases", "node-1", "kube-node-lease") is not None
        assert collector_sleeps(cluster)


async def test_an_object_with_an_owner_wakes_the_collector() -> None:
    async with running("kubelet", "garbage-collector") as cluster:
        owner = await cluster.create(config_map("a"))
        assert collector_sleeps(cluster)
        await cluster.create(config_map("b", {**owned_by(owner), "uid": "another"}))
        assert await cluster.get("configmaps", "b") is None


async def test_an_owner_that_is_given_later_wakes_the_collector() -> None:
    async with running("garbage-collector") as cluster:
        owner = await cluster.create(config_map("a"))
        await cluster.create(config_map("b"))
        await cluster.change("configmaps", "b", metadata={"ownerReferences": [{**owned_by(owner), "uid": "another"}]})
        assert await cluster.get("configmaps", "b") is None


async def test_the_lease_of_a_node_that_is_deleted_goes() -> None:
    async with running("kubelet", "garbage-collector") as cluster:
        await cluster.delete("nodes", "node-1", namespace="")
        assert await cluster.get("leases", "node-1", "kube-node-lease") is None


async def test_the_lease_of_no_node_goes() -> None:
    async with running("kubelet", "garbage-collector") as cluster:
        await create_lease(cluster, {"apiVersion": "v1", "kind": "Node", "name": "node-9", "uid": "none"})
        assert await cluster.get("leases", "node-9", "kube-node-lease") is None


async def test_a_deletion_in_the_foreground_wakes_the_collector() -> None:
    async with running("garbage-collector") as cluster:
        await cluster.create(config_map("a"))
        await cluster.delete("configmaps", "a", "Foreground")
        assert await cluster.get("configmaps", "a") is None
