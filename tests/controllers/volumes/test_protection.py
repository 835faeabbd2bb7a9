from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, running

_CONTROLLERS = ("pv-protection", "pvc-protection", "vac-protection")
_CONTAINERS = [{"name": "app", "image": "a"}]

pytestmark = pytest.mark.anyio


def claim(**spec: Any) -> Document:
    head = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}}
    resources = {"requests": {"storage": "1Gi"}}
    return {**head, "spec": {"accessModes": ["ReadWriteOnce"], "resources": resources, **spec}}


def volume(phase: str) -> Document:
    head = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}}
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}}
    return {**head, "spec": spec, "status": {"phase": phase}}


def pod(**spec: Any) -> Document:
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}
    return {**head, "spec": {"containers": _CONTAINERS, "volumes": volumes, **spec}}


async def is_there(cluster: Cluster, plural: str, name: str) -> bool:
    return await cluster.get(plural, name) is not None


@pytest.mark.parametrize(("node", "kept"), [({"nodeName": "a"}, True), ({}, False)])
async def test_a_claim_stays_for_pods_that_have_a_node(node: Document, kept: bool) -> None:
    async with running(*_CONTROLLERS) as cluster:
        await cluster.create(claim())
        await cluster.create(pod(**node))
        await cluster.delete("persistentvolumeclaims", "data")
        assert await is_there(cluster, "persistentvolumeclaims", "data") == kept


async def test_a_claim_goes_with_the_last_pod_that_uses_it() -> None:
    async with running(*_CONTROLLERS) as cluster:
        await cluster.create(claim())
        await cluster.create({**pod(nodeName="a"), "status": {"phase": "Succeeded"}})
        await cluster.delete("persistentvolumeclaims", "data")
        assert await is_there(cluster, "persistentvolumeclaims", "data")
        await cluster.delete("pods", "web")
        assert not await is_there(cluster, "persistentvolumeclaims", "data")


@pytest.mark.parametrize(("phase", "kept"), [("Bound", True), ("Available", False)])
async def test_a_volume_stays_while_it_is_bound(phase: str, kept: bool) -> None:
    async with running(*_CONTROLLERS) as cluster:
        await cluster.create(volume(phase))
        await cluster.delete("persistentvolumes", "disk")
        assert await is_there(cluster, "persistentvolumes", "disk") == kept


async def test_a_class_of_attributes_stays_while_a_claim_names_it() -> None:
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttributesClass", "metadata": {"name": "gold"}}
    async with running(*_CONTROLLERS) as cluster:
        await cluster.create({**head, "driverName": "csi.example.com", "parameters": {"a": "b"}})
        await cluster.create(claim(volumeAttributesClassName="gold"))
        await cluster.delete("volumeattributesclasses", "gold")
        assert await is_there(cluster, "volumeattributesclasses", "gold")
        await cluster.delete("persistentvolumeclaims", "data")
        assert not await is_there(cluster, "volumeattributesclasses", "gold")


async def test_protection_that_was_taken_off_is_put_back() -> None:
    async with running(*_CONTROLLERS) as cluster:
        await cluster.create(claim())
        changed = await cluster.change("persistentvolumeclaims", "data", metadata={"finalizers": []})
        assert "finalizers" not in changed.document["metadata"]
        found = await cluster.get("persistentvolumeclaims", "data")
        assert found is not None
        assert found["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
