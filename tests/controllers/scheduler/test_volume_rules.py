"""Filter rules for volumes: volumes in use, zones, and limits of nodes."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster
from tests.controllers.scheduler.scheduling import node, node_of, place, refusal, scheduling
from tests.controllers.volumes.storage import CLAIMS, VOLUMES, claim, storage_class, user, volume

pytestmark = pytest.mark.anyio

_ZONE = "topology.kubernetes.io/zone"
_OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
_BOUND = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
_USED = "PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
_IN_USE = f"1 node(s) unavailable due to {_USED}."
_AT_ONCE: dict[str, Any] = {"terminationGracePeriodSeconds": 0}
_DRIVER = "d.example.com"


async def bind(cluster: Cluster, name: str, disk: Document, **spec: Any) -> None:
    """Create a volume, and a claim that is bound to it."""
    await cluster.create(disk)
    await cluster.create(claim(name, volumeName=disk["metadata"]["name"], metadata=_BOUND, **spec))


async def test_a_claim_for_one_pod_excludes_a_second_pod() -> None:
    async with scheduling(node("a")) as cluster:
        await bind(cluster, "data", volume(accessModes=["ReadWriteOncePod"]), accessModes=["ReadWriteOncePod"])
        assert await place(cluster, user("one", **_AT_ONCE)) == "a"
        await cluster.create(user("two"))
        assert await refusal(cluster, "two") == f"0/1 nodes are available: {_IN_USE}"
        await cluster.delete("pods", "one")
        await cluster.clock.advance(10)
        assert await node_of(cluster, "two") == "a"


async def test_a_more_important_pod_takes_over_a_claim_for_one_pod() -> None:
    head = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}}
    async with scheduling(node("a")) as cluster:
        await cluster.create({**head, "value": 100})
        await bind(cluster, "data", volume(accessModes=["ReadWriteOncePod"]), accessModes=["ReadWriteOncePod"])
        assert await place(cluster, user("one")) == "a"
        await cluster.create(user("two", priorityClassName="high"))
        first = await cluster.get("pods", "one")
        assert first is None or "deletionTimestamp" in first["metadata"]


@pytest.mark.parametrize(
    ("mine", "theirs", "fits"),
    [
        ({"gcePersistentDisk": {"pdName": "a"}}, {"gcePersistentDisk": {"pdName": "a", "readOnly": True}}, False),
        (
            {"gcePersistentDisk": {"pdName": "a", "readOnly": True}},
            {"gcePersistentDisk": {"pdName": "a", "readOnly": True}},
            True,
        ),
        ({"awsElasticBlockStore": {"volumeID": "a"}}, {"awsElasticBlockStore": {"volumeID": "a"}}, False),
        ({"awsElasticBlockStore": {"volumeID": "a"}}, {"awsElasticBlockStore": {"volumeID": "b"}}, True),
        ({"rbd": {"monitors": ["m", "n"], "image": "i"}}, {"rbd": {"monitors": ["m"], "image": "i"}}, False),
        ({"rbd": {"monitors": ["n"], "image": "i"}}, {"rbd": {"monitors": ["m"], "image": "i"}}, True),
    ],
)
async def test_pods_of_a_node_do_not_share_a_disk(mine: Document, theirs: Document, fits: bool) -> None:
    async with scheduling(node("a")) as cluster:
        assert await place(cluster, user("one", volumes=[{"name": "v", **theirs}])) == "a"
        placed = await place(cluster, user("two", volumes=[{"name": "v", **mine}]))
        assert placed == ("a" if fits else None)
        if not fits:
            assert await refusal(cluster, "two") == "0/1 nodes are available: 1 node(s) had no available disk."


@pytest.mark.parametrize("label", [_ZONE, _OLD_ZONE])
async def test_a_pod_goes_to_a_zone_of_its_volume(label: str) -> None:
    async with scheduling(*(node(name, labels={_ZONE: name}) for name in ("a", "b", "c"))) as cluster:
        await bind(cluster, "data", volume(metadata={"labels": {label: "b__x"}}))
        assert await place(cluster, user()) == "b"


async def test_no_node_is_in_the_zone_of_the_volume() -> None:
    async with scheduling(node("a", labels={_ZONE: "a"})) as cluster:
        await bind(cluster, "data", volume(metadata={"labels": {_ZONE: "b"}}))
        await cluster.create(user())
        assert await refusal(cluster, "web") == "0/1 nodes are available: 1 node(s) had no available volume zone."
        await cluster.change(VOLUMES, "disk", metadata={"labels": {_ZONE: "a"}})
        await cluster.clock.advance(10)
        assert await node_of(cluster, "web") == "a"


async def test_nodes_without_zones_fit() -> None:
    async with scheduling(node("a")) as cluster:
        await bind(cluster, "data", volume(metadata={"labels": {_ZONE: "b"}}))
        assert await place(cluster, user()) == "a"


def csi_node(count: int) -> Document:
    drivers = [{"name": _DRIVER, "nodeID": "a", "allocatable": {"count": count}}]
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "a"}}
    return {**head, "spec": {"drivers": drivers}}


def csi(name: str) -> Document:
    return volume(name, csi={"driver": _DRIVER, "volumeHandle": name})


async def test_a_node_takes_a_limited_number_of_volumes() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(csi_node(1))
        for name in ("one", "two"):
            await bind(cluster, name, csi(name))
        assert await place(cluster, user("one", "one", **_AT_ONCE)) == "a"
        assert await place(cluster, user("same", "one", **_AT_ONCE)) == "a"
        await cluster.create(user("two", "two"))
        assert await refusal(cluster, "two") == "0/1 nodes are available: 1 node(s) exceed max volume count."
        await cluster.delete("pods", "one")
        await cluster.delete("pods", "same")
        await cluster.clock.advance(10)
        assert await node_of(cluster, "two") == "a"


async def test_a_pod_is_tried_again_when_its_node_can_have_more_volumes() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(csi_node(0))
        await bind(cluster, "data", csi("disk"))
        await cluster.create(user())
        assert await node_of(cluster, "web") is None
        await cluster.change("csinodes", "a", spec={"drivers": []})
        await cluster.change("csinodes", "a", spec=csi_node(1)["spec"])
        await cluster.clock.advance(10)
        assert await node_of(cluster, "web") == "a"


async def test_volumes_that_are_still_attached_count() -> None:
    attachment = {"attacher": _DRIVER, "nodeName": "a", "source": {"persistentVolumeName": "one"}}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "x"}}
    async with scheduling(node("a")) as cluster:
        await cluster.create(csi_node(1))
        for name in ("one", "two"):
            await bind(cluster, name, csi(name))
        await cluster.create({**head, "spec": attachment})
        await cluster.create(user("two", "two"))
        assert await refusal(cluster, "two") == "0/1 nodes are available: 1 node(s) exceed max volume count."
        await cluster.delete("volumeattachments", "x")
        await cluster.clock.advance(10)
        assert await node_of(cluster, "two") == "a"


async def test_volumes_to_be_provisioned_count() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(csi_node(0))
        await cluster.create(storage_class("late", _DRIVER, volumeBindingMode="WaitForFirstConsumer"))
        await cluster.create(claim(storageClassName="late"))
        await cluster.create(user())
        assert await refusal(cluster, "web") == "0/1 nodes are available: 1 node(s) exceed max volume count."


@pytest.mark.parametrize("missing", [CLAIMS, VOLUMES])
async def test_a_missing_object_is_named(missing: str) -> None:
    async with scheduling(node("a")) as cluster:
        if missing == VOLUMES:
            await cluster.create(claim(volumeName="disk", metadata=_BOUND))
        await cluster.create(user())
        what = 'persistentvolume "disk"' if missing == VOLUMES else 'persistentvolumeclaim "data"'
        assert await refusal(cluster, "web") == f"0/1 nodes are available: {what} not found. not found"
