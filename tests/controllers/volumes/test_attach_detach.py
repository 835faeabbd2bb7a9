from hashlib import sha256
from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.controllers.available import ATTACH_DETACH, KUBELET, NODE_LIFECYCLE, PROVISIONER
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import CONTAINERS, Cluster, running
from tests.controllers.volumes.storage import BINDER, claim, phase, reports, user, volume

pytestmark = pytest.mark.anyio

_DRIVER = "d.example.com"
_MANAGED = {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
_NAME = f"kubernetes.io/csi/{_DRIVER}^handle"
_AT_ONCE: dict[str, Any] = {"terminationGracePeriodSeconds": 0}


def node(name: str, annotations: Document = _MANAGED) -> Document:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": annotations}}


async def prepare(cluster: Cluster, *modes: str) -> None:
    """Create two nodes, and a claim that is bound to a CSI volume."""
    for name in ("a", "b"):
        await cluster.create(node(name))
    access = list(modes) or ["ReadWriteOnce"]
    await cluster.create(volume(csi={"driver": _DRIVER, "volumeHandle": "handle"}, accessModes=access))
    await cluster.create(claim(accessModes=access))


async def attachments(cluster: Cluster) -> list[Document]:
    return [each.document for each in (await cluster.store("volumeattachments").list("", ListOptions())).items]


async def attach(cluster: Cluster, **status: Any) -> None:
    """Set the status of all VolumeAttachments, as their attacher does."""
    for each in await attachments(cluster):
        await cluster.change("volumeattachments", each["metadata"]["name"], subresource="status", status=status)


async def attached_to(cluster: Cluster, name: str) -> list[str]:
    found = await cluster.get("nodes", name, "")
    assert found is not None
    return [each["name"] for each in found["status"].get("volumesAttached", [])]


async def test_a_volume_is_attached_to_the_node_of_its_pod() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        await cluster.create(user(nodeName="a"))
        (found,) = await attachments(cluster)
        source = {"persistentVolumeName": "disk"}
        assert found["spec"] == {"attacher": _DRIVER, "source": source, "nodeName": "a"}
        assert await attached_to(cluster, "a") == []
        await attach(cluster, attached=True)
        assert await attached_to(cluster, "a") == [_NAME]
        message = 'AttachVolume.Attach succeeded for volume "disk" '
        assert await reports(cluster, "web") == [("Normal", "SuccessfulAttachVolume", message)]


async def test_the_name_of_an_attachment_is_a_hash_of_volume_driver_and_node() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        await cluster.create(user(nodeName="a"))
        (found,) = await attachments(cluster)
        assert found["metadata"]["name"] == f"csi-{sha256(f'handle{_DRIVER}a'.encode()).hexdigest()}"


async def test_a_volume_is_detached_after_its_last_pod() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        for name in ("one", "two"):
            await cluster.create(user(name, nodeName="a", **_AT_ONCE))
        await attach(cluster, attached=True)
        await cluster.delete("pods", "one")
        assert await attached_to(cluster, "a") == [_NAME]
        await cluster.delete("pods", "two")
        assert (await attachments(cluster), await attached_to(cluster, "a")) == ([], [])


async def test_a_volume_in_use_on_its_node_is_not_detached_yet() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        await cluster.create(user(nodeName="a", **_AT_ONCE))
        await attach(cluster, attached=True)
        found = await cluster.get("nodes", "a", "")
        assert found is not None
        await cluster.change("nodes", "a", subresource="status", status={**found["status"], "volumesInUse": [_NAME]})
        await cluster.delete("pods", "web")
        assert len(await attachments(cluster)) == 1
        await cluster.change("nodes", "a", subresource="status", status=found["status"])
        assert await attachments(cluster) == []


async def test_a_pod_that_has_ended_needs_no_volume() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        await cluster.create(user(nodeName="a"))
        await cluster.change("pods", "web", subresource="status", status={"phase": "Succeeded"})
        assert await attachments(cluster) == []


async def test_a_volume_for_one_node_is_refused_to_another() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        await cluster.create(user("one", nodeName="a", **_AT_ONCE))
        await attach(cluster, attached=True)
        await cluster.create(user("two", nodeName="b"))
        message = 'Multi-Attach error for volume "disk" Volume is already used by pod(s) one'
        assert await reports(cluster, "two") == [("Warning", "FailedAttachVolume", message)]
        await cluster.delete("pods", "one")
        (found,) = await attachments(cluster)
        assert found["spec"]["nodeName"] == "b"


async def test_a_shared_volume_is_attached_to_several_nodes() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster, "ReadWriteMany")
        for name in ("a", "b"):
            await cluster.create(user(name, nodeName=name))
        assert {each["spec"]["nodeName"] for each in await attachments(cluster)} == {"a", "b"}


async def test_an_attacher_that_does_not_answer_is_reported_every_two_minutes() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        await cluster.create(user(nodeName="a"))
        await cluster.clock.advance(119)
        assert await reports(cluster, "web") == []
        await cluster.clock.advance(1)
        why = f"timed out waiting for external-attacher of {_DRIVER} CSI driver to attach volume handle"
        message = f'AttachVolume.Attach failed for volume "disk" : {why}'
        assert await reports(cluster, "web") == [("Warning", "FailedAttachVolume", message)]


async def test_an_error_of_the_attacher_is_reported() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        await cluster.create(user(nodeName="a"))
        await attach(cluster, attached=False, attachError={"message": "no slot"})
        message = 'AttachVolume.Attach failed for volume "disk" : no slot'
        assert await reports(cluster, "web") == [("Warning", "FailedAttachVolume", message)]


@pytest.mark.parametrize("required", [True, False])
async def test_a_driver_says_whether_its_volumes_are_attached(required: bool) -> None:
    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": _DRIVER}}
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await cluster.create({**driver, "spec": {"attachRequired": required}})
        await prepare(cluster)
        await cluster.create(user(nodeName="a"))
        assert len(await attachments(cluster)) == required


async def test_other_nodes_attach_their_volumes_themselves() -> None:
    async with running(BINDER, ATTACH_DETACH) as cluster:
        await prepare(cluster)
        await cluster.create(node("c", {}))
        await cluster.create(user(nodeName="c"))
        assert await attachments(cluster) == []


async def on_simulated_nodes(cluster: Cluster) -> None:
    """Bind a claim to a CSI volume, and run a pod with the claim on the first simulated node."""
    await cluster.create(volume(csi={"driver": _DRIVER, "volumeHandle": "handle"}))
    await cluster.create(claim())
    await cluster.create(mounting("one", "node-1"))
    await cluster.clock.advance(1)


def mounting(name: str, node_name: str) -> Document:
    """Return a pod on a node with a container that mounts a claim."""
    container = {**CONTAINERS[0], "volumeMounts": [{"name": "v", "mountPath": "/data"}]}
    return user(name, nodeName=node_name, containers=[container], **_AT_ONCE)


_SIMULATED = (KUBELET, NODE_LIFECYCLE, BINDER, ATTACH_DETACH)


async def test_volumes_are_attached_at_once_to_simulated_nodes() -> None:
    async with running(*_SIMULATED, PROVISIONER) as cluster:
        await on_simulated_nodes(cluster)
        assert await attached_to(cluster, "node-1") == [_NAME]
        assert await phase(cluster, "pods", "one") == "Running"


async def test_a_pod_runs_once_its_volume_is_attached() -> None:
    async with running(*_SIMULATED) as cluster:
        await on_simulated_nodes(cluster)
        assert await phase(cluster, "pods", "one") == "Pending"
        await attach(cluster, attached=True)
        assert await phase(cluster, "pods", "one") == "Running"


async def test_a_pod_reports_a_volume_that_is_not_attached_for_two_minutes() -> None:
    async with running(*_SIMULATED) as cluster:
        await on_simulated_nodes(cluster)
        await cluster.clock.advance(123)
        where = "unmounted volumes=[v], unattached volumes=[v], failed to process volumes=[]"
        message = f"Unable to attach or mount volumes: {where}: context deadline exceeded"
        assert ("Warning", "FailedMount", message) in await reports(cluster, "one")


async def test_a_pod_waits_until_its_volume_is_detached_from_another_node() -> None:
    async with running(*_SIMULATED, PROVISIONER, nodes=2) as cluster:
        await on_simulated_nodes(cluster)
        await cluster.create(mounting("two", "node-2"))
        await cluster.clock.advance(30)
        assert await phase(cluster, "pods", "two") == "Pending"
        await cluster.delete("pods", "one")
        await cluster.clock.advance(1)
        assert await phase(cluster, "pods", "two") == "Running"
