from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.scheduler.scheduling import node, node_of, place, pod, refusal, scheduling

_IMMEDIATE = "pod has unbound immediate PersistentVolumeClaims"
_BOUND = {"pv.kubernetes.io/bind-completed": "yes"}

pytestmark = pytest.mark.anyio


def claim(annotations: Document | None = None, status: Document | None = None, **spec: Any) -> Document:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    metadata = {"name": "data", "annotations": annotations or {}}
    document = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": wanted}
    return document if status is None else {**document, "status": status}


def volume(name: str, **affinity: Any) -> Document:
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/data"},
        **affinity,
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def storage_class(mode: str, provisioner: str = "kubernetes.io/no-provisioner", **fields: Any) -> Document:
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}}
    return {**head, "provisioner": provisioner, "reclaimPolicy": "Delete", "volumeBindingMode": mode, **fields}


def only_on(name: str) -> Document:
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": [name]}
    return {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}


WITH_CLAIM: dict[str, Any] = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (claim(), f"{_IMMEDIATE}. not found"),
        (claim(volumeName="disk"), f"{_IMMEDIATE}. not found"),
        (claim(storageClassName="none"), f"{_IMMEDIATE}. not found"),
        (
            claim(volumeName="disk", status={"phase": "Lost"}),
            'persistentvolumeclaim "data" bound to non-existent persistentvolume "disk". not found',
        ),
        (
            claim(_BOUND, volumeName="disk"),
            'persistentvolume "disk" not found. not found',
        ),
    ],
)
async def test_a_claim_that_is_not_bound_keeps_its_pod_waiting(wanted: Document, why: str) -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(wanted)
        await cluster.create(pod("web", **WITH_CLAIM))
        assert await refusal(cluster, "web") == f"0/1 nodes are available: {why}"


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("Immediate", f"{_IMMEDIATE}. not found"),
        ("WaitForFirstConsumer", "1 node(s) didn't find available persistent volumes to bind."),
    ],
)
async def test_a_class_says_when_volumes_are_looked_for(mode: str, why: str) -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(storage_class(mode))
        await cluster.create(claim(storageClassName="fast"))
        await cluster.create(pod("web", **WITH_CLAIM))
        assert await refusal(cluster, "web") == f"0/1 nodes are available: {why}"


async def test_a_bound_volume_says_which_nodes_reach_it() -> None:
    async with scheduling(node("a"), node("b")) as cluster:
        await cluster.create(volume("disk", **only_on("b")))
        await cluster.create(claim(_BOUND, volumeName="disk"))
        assert await place(cluster, pod("web", **WITH_CLAIM)) == "b"


async def test_no_node_that_fits_reaches_the_volume() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(volume("disk", **only_on("b")))
        await cluster.create(claim(_BOUND, volumeName="disk"))
        await cluster.create(pod("web", **WITH_CLAIM))
        why = "1 node(s) didn't match PersistentVolume's node affinity."
        assert await refusal(cluster, "web") == f"0/1 nodes are available: {why}"


async def test_a_pod_is_tried_again_when_its_claim_is_bound() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(volume("disk"))
        unbound = await cluster.create(claim())
        await cluster.create(pod("web", **WITH_CLAIM))
        spec = {**unbound.document["spec"], "volumeName": "disk"}
        await cluster.change("persistentvolumeclaims", "data", metadata={"annotations": _BOUND}, spec=spec)
        await cluster.clock.advance(10)
        assert await node_of(cluster, "web") == "a"


async def test_a_claim_for_a_pod_belongs_to_it() -> None:
    ephemeral = {"volumeClaimTemplate": {"spec": claim()["spec"]}}
    async with scheduling(node("a")) as cluster:
        await cluster.create({**claim(), "metadata": {"name": "web-v"}})
        await cluster.create(pod("web", volumes=[{"name": "v", "ephemeral": ephemeral}]))
        why = "PVC default/web-v was not created for pod default/web (pod is not owner)"
        assert await refusal(cluster, "web") == f"0/1 nodes are available: {why}. not found"


@pytest.mark.parametrize(
    ("capacity", "why"),
    [
        ({"capacity": "5Gi"}, None),
        ({"capacity": "5Gi", "maximumVolumeSize": "1Mi"}, "1 node(s) did not have enough free storage."),
        ({}, "1 node(s) did not have enough free storage."),
        ({"capacity": "5Gi", "nodeTopology": None}, "1 node(s) did not have enough free storage."),
    ],
)
async def test_a_driver_with_capacities_provisions_only_where_there_is_space(
    capacity: Document, why: str | None
) -> None:
    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "d.example.com"}}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": {"name": "c"}}
    topology = {"nodeTopology": {"matchLabels": {"kubernetes.io/hostname": "a"}}}
    async with scheduling(node("a")) as cluster:
        await cluster.create({**driver, "spec": {"storageCapacity": True}})
        known = {key: value for key, value in {**topology, **capacity}.items() if value is not None}
        await cluster.create({**head, "storageClassName": "fast", **known})
        await cluster.create(storage_class("WaitForFirstConsumer", "d.example.com"))
        await cluster.create(claim(storageClassName="fast"))
        await cluster.create(pod("web", **WITH_CLAIM))
        if why is None:
            found = await cluster.get("persistentvolumeclaims", "data")
            assert found is not None
            assert found["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] == "a"
        else:
            assert await refusal(cluster, "web") == f"0/1 nodes are available: {why}"


async def test_volumes_are_provisioned_only_in_the_topologies_of_their_class() -> None:
    topologies = [{"matchLabelExpressions": [{"key": "kubernetes.io/hostname", "values": ["b", "c"]}]}]
    async with scheduling(node("a")) as cluster:
        mode = "WaitForFirstConsumer"
        await cluster.create(storage_class(mode, "example.com/p", allowedTopologies=topologies))
        await cluster.create(claim(storageClassName="fast"))
        await cluster.create(pod("web", **WITH_CLAIM))
        why = "1 node(s) didn't find available persistent volumes to bind."
        assert await refusal(cluster, "web") == f"0/1 nodes are available: {why}"
