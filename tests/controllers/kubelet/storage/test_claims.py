from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.sandbox import Sandbox, container, sandbox

_MOUNTS: dict[str, Any] = {"volumeMounts": [{"name": "v", "mountPath": "/data"}]}
_CLAIMED: dict[str, Any] = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
_SPEC: Document = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
_VOLUME: Document = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}}
_UNABLE = (
    "Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]"
)

pytestmark = pytest.mark.anyio


async def add_claim(box: Sandbox, status: Document | None = None, **spec: Any) -> str:
    """Create a PersistentVolumeClaim, and return its uid."""
    head = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}}
    body = {**head, "spec": {**_SPEC, **spec}}
    return (await box.cluster.create(body if status is None else {**body, "status": status})).uid


async def add_volume(box: Sandbox, **spec: Any) -> None:
    head = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}}
    await box.cluster.create({**head, "spec": {**_VOLUME, **spec}})


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (None, 'failed to fetch PVC from API server: persistentvolumeclaims "data" not found'),
        ({}, "PVC is not bound"),
        ({"status": {"phase": "Bound"}}, "PVC has empty pvc.Spec.VolumeName"),
        (
            {"status": {"phase": "Bound"}, "volumeName": "disk"},
            'failed to fetch PV disk from API server: persistentvolumes "disk" not found',
        ),
    ],
)
async def test_a_pod_waits_for_its_claim(claim: Document | None, why: str) -> None:
    async with sandbox() as box:
        if claim is not None:
            await add_claim(box, **claim)
        await box.create(containers=[container("c0", "sleep 60", **_MOUNTS)], **_CLAIMED)
        assert await box.events("FailedMount") == [f"{_UNABLE}: error processing PVC default/data: {why}"]
        assert (await box.status())["phase"] == "Pending"


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ({}, "it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim"),
        ({"claimRef": {"name": "data", "uid": "x"}}, "its pv.Spec.ClaimRef.UID x does not point to claim.UID {uid}"),
    ],
)
async def test_a_volume_has_to_be_bound_to_the_claim_as_well(reference: Document, why: str) -> None:
    async with sandbox() as box:
        await add_volume(box, **reference)
        uid = await add_claim(box, {"phase": "Bound"}, volumeName="disk")
        await box.create(containers=[container("c0", "sleep 60", **_MOUNTS)], **_CLAIMED)
        (event,) = await box.events("FailedMount")
        assert event.endswith(f"default/data: found PV object disk but {why.format(uid=uid)}")


async def test_a_pod_runs_with_a_claim_that_is_bound() -> None:
    async with sandbox() as box:
        uid = await add_claim(box, {"phase": "Bound"}, volumeName="disk")
        await add_volume(box, claimRef={"namespace": "default", "name": "data", "uid": uid})
        await box.create(containers=[container("c0", "sleep 60", **_MOUNTS)], **_CLAIMED)
        assert (await box.status())["phase"] == "Running"


async def test_a_claim_that_no_container_wants_holds_nothing_up() -> None:
    async with sandbox() as box:
        await box.run("sleep 60", **_CLAIMED)
        assert (await box.status())["phase"] == "Running"
