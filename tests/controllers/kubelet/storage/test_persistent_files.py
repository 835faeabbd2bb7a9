"""Files in PersistentVolumes, which outlive containers and pods."""

from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.connections.client import logged
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

pytestmark = pytest.mark.anyio

_MOUNTS: dict[str, Any] = {"volumeMounts": [{"name": "v", "mountPath": "/data"}]}
_CLAIMED: dict[str, Any] = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
_SPEC: Document = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
_COUNT = "echo x >> /data/log; wc -l < /data/log; sleep 60"


async def bind(box: Sandbox) -> None:
    """Create a claim that is bound to a volume."""
    head = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}}
    claim = await box.cluster.create({**head, "spec": {**_SPEC, "volumeName": "disk"}, "status": {"phase": "Bound"}})
    head = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}}
    reference = {"namespace": "default", "name": "data", "uid": claim.uid}
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}}
    await box.cluster.create({**head, "spec": {**spec, "claimRef": reference}, "status": {"phase": "Bound"}})


async def run(box: Sandbox) -> str:
    """Run a pod that counts its runs in the volume, and return the number."""
    await box.create(containers=[container("c0", _COUNT, **_MOUNTS)], terminationGracePeriodSeconds=0, **_CLAIMED)
    count = (await logged(box)).strip()
    await box.cluster.delete("pods", "web")
    await box.advance(1)
    return count


async def test_files_of_a_volume_outlive_the_pod() -> None:
    async with sandbox() as box:
        await bind(box)
        assert [await run(box), await run(box)] == ["1", "2"]


async def test_two_pods_share_the_files_of_a_volume() -> None:
    async with sandbox() as box:
        await bind(box)
        await box.create("first", containers=[container("c0", "echo hi > /data/a; sleep 60", **_MOUNTS)], **_CLAIMED)
        await box.create(containers=[container("c0", "cat /data/a; sleep 60", **_MOUNTS)], **_CLAIMED)
        assert await logged(box) == "hi\n"


@pytest.mark.parametrize("phase", [None, "Available"])
async def test_files_are_lost_with_their_volume_or_when_it_is_recycled(phase: str | None) -> None:
    async with sandbox() as box:
        await bind(box)
        assert await run(box) == "1"
        if phase is None:
            await box.cluster.change("persistentvolumes", "disk", metadata={"finalizers": []})
            await box.cluster.delete("persistentvolumes", "disk")
            await box.cluster.change("persistentvolumeclaims", "data", metadata={"finalizers": []})
            await box.cluster.delete("persistentvolumeclaims", "data")
            await bind(box)
        else:
            for each in (phase, "Bound"):
                await box.cluster.change("persistentvolumes", "disk", subresource="status", status={"phase": each})
        assert await run(box) == "1"
