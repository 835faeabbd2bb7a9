"""The simulated attacher of CSI volumes."""

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.available import KUBELET, PROVISIONER
from tests.controllers.cluster import Cluster, running
from tests.controllers.volumes.storage import volume

pytestmark = pytest.mark.anyio


def _attachment() -> Document:
    spec = {"attacher": "d.example.com", "nodeName": "node-1", "source": {"persistentVolumeName": "disk"}}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "disk-1"}}
    return {**head, "spec": spec}


async def _is_attached(cluster: Cluster) -> bool:
    found = await cluster.get("volumeattachments", "disk-1", "")
    assert found is not None
    return bool(found["status"]["attached"])


async def test_a_volume_is_attached_as_soon_as_it_exists() -> None:
    async with running(KUBELET, PROVISIONER) as cluster:
        await cluster.create(_attachment())
        assert not await _is_attached(cluster)
        await cluster.create(volume(csi={"driver": "d.example.com", "volumeHandle": "handle"}))
        assert await _is_attached(cluster)


async def test_an_existing_volume_is_attached_at_once() -> None:
    async with running(KUBELET, PROVISIONER) as cluster:
        await cluster.create(volume(csi={"driver": "d.example.com", "volumeHandle": "handle"}))
        await cluster.create(_attachment())
        assert await _is_attached(cluster)
