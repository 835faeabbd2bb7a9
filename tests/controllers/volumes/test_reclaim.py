import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, running
from tests.controllers.volumes.storage import BINDER, CLAIMS, RESYNC, VOLUMES, claim, phase, reports, user, volume

pytestmark = pytest.mark.anyio

_PODS = "pods"
_RECYCLER = "recycler-for-disk"
_PROVISIONED = "pv.kubernetes.io/provisioned-by"


async def release(cluster: Cluster, disk: Document) -> None:
    """Bind a volume to a claim, and delete the claim."""
    await cluster.create(disk)
    await cluster.create(claim())
    assert await phase(cluster, VOLUMES, "disk") == "Bound"
    await cluster.change(CLAIMS, "data", metadata={"finalizers": []})
    await cluster.delete(CLAIMS, "data")


async def test_a_retained_volume_stays_released() -> None:
    async with running(BINDER) as cluster:
        await release(cluster, volume())
        await cluster.create(claim())
        await cluster.clock.advance(RESYNC)
        assert await phase(cluster, VOLUMES, "disk") == "Released"
        assert await phase(cluster, CLAIMS, "data") == "Pending"


async def test_a_released_volume_without_the_uid_of_its_claim_is_available() -> None:
    async with running(BINDER) as cluster:
        await release(cluster, volume())
        found = await cluster.get(VOLUMES, "disk", "")
        assert found is not None
        reference = {name: value for name, value in found["spec"]["claimRef"].items() if name != "uid"}
        await cluster.change(VOLUMES, "disk", spec={**found["spec"], "claimRef": reference})
        assert await phase(cluster, VOLUMES, "disk") == "Available"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ({}, 'error getting deleter volume plugin for volume "disk": no deletable volume plugin matched'),
        (
            {"awsElasticBlockStore": {"volumeID": "a"}},
            'error getting deleter volume plugin for volume "disk": no volume plugin matched',
        ),
        ({"hostPath": {"path": "/data"}}, "host_path deleter only supports /tmp/.+ but received provided /data"),
    ],
)
async def test_a_volume_that_no_plugin_deletes_fails(source: Document, why: str) -> None:
    async with running(BINDER) as cluster:
        await release(cluster, volume(persistentVolumeReclaimPolicy="Delete", **source))
        found = await cluster.get(VOLUMES, "disk", "")
        assert found is not None
        assert (found["status"]["phase"], found["status"]["message"]) == ("Failed", why)
        assert await reports(cluster, "disk") == [("Warning", "VolumeFailedDelete", why)]


async def test_a_volume_in_tmp_is_deleted() -> None:
    async with running(BINDER) as cluster:
        await release(cluster, volume(persistentVolumeReclaimPolicy="Delete", hostPath={"path": "/tmp/a"}))
        found = await cluster.get(VOLUMES, "disk", "")
        assert found is not None
        assert "deletionTimestamp" in found["metadata"]


@pytest.mark.parametrize(
    ("source", "annotations"),
    [
        ({"csi": {"driver": "d", "volumeHandle": "h"}}, {}),
        ({}, {_PROVISIONED: "example.com/p"}),
        ({"awsElasticBlockStore": {"volumeID": "a"}}, {_PROVISIONED: "kubernetes.io/aws-ebs"}),
    ],
)
async def test_an_external_provisioner_deletes_other_volumes(source: Document, annotations: Document) -> None:
    async with running(BINDER) as cluster:
        mark = {"annotations": annotations}
        await release(cluster, volume(persistentVolumeReclaimPolicy="Delete", metadata=mark, **source))
        assert await phase(cluster, VOLUMES, "disk") == "Released"
        assert await reports(cluster, "disk") == []
        await cluster.clock.advance(2 * RESYNC)
        assert cluster.clock.timers == 0


async def test_a_policy_that_changes_later_is_applied() -> None:
    async with running(BINDER) as cluster:
        await release(cluster, volume())
        found = await cluster.get(VOLUMES, "disk", "")
        assert found is not None
        await cluster.change(VOLUMES, "disk", spec={**found["spec"], "persistentVolumeReclaimPolicy": "Delete"})
        assert await phase(cluster, VOLUMES, "disk") == "Failed"


async def test_a_second_provisioned_volume_of_a_claim_is_released() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume("a"))
        bound = await cluster.create(claim())
        reference = {"namespace": "default", "name": "data", "uid": bound.uid}
        mark = {"annotations": {_PROVISIONED: "example.com/p"}}
        await cluster.create(volume("b", metadata=mark, persistentVolumeReclaimPolicy="Delete", claimRef=reference))
        assert await phase(cluster, VOLUMES, "b") == "Released"


@pytest.mark.parametrize(
    ("provisioner", "policy", "finalizers"),
    [
        ("kubernetes.io/nfs", "Delete", {"kubernetes.io/pv-controller"}),
        ("kubernetes.io/nfs", "Retain", set()),
        ("kubernetes.io/aws-ebs", "Delete", set()),
        ("example.com/p", "Delete", set()),
    ],
)
async def test_volumes_of_in_tree_plugins_have_a_finalizer(provisioner: str, policy: str, finalizers: set[str]) -> None:
    async with running(BINDER) as cluster:
        mark = {"annotations": {_PROVISIONED: provisioner}}
        await cluster.create(volume(metadata=mark, persistentVolumeReclaimPolicy=policy))
        found = await cluster.get(VOLUMES, "disk", "")
        assert found is not None
        assert set(found["metadata"]["finalizers"]) == finalizers | {"kubernetes.io/pv-protection"}


async def test_a_volume_of_a_replaced_plugin_names_its_csi_driver() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume(metadata={"annotations": {_PROVISIONED: "kubernetes.io/gce-pd"}}))
        found = await cluster.get(VOLUMES, "disk", "")
        assert found is not None
        assert found["metadata"]["annotations"]["pv.kubernetes.io/migrated-to"] == "pd.csi.storage.gke.io"


async def test_a_recycled_volume_is_available_when_its_pod_has_ended() -> None:
    async with running(BINDER) as cluster:
        await release(cluster, volume(size="5Gi", persistentVolumeReclaimPolicy="Recycle"))
        pod = await cluster.get(_PODS, _RECYCLER)
        assert pod is not None
        assert pod["spec"]["volumes"] == [{"name": "vol", "nfs": {"server": "s", "path": "/p"}}]
        assert pod["spec"]["activeDeadlineSeconds"] == 300
        assert await phase(cluster, VOLUMES, "disk") == "Released"
        await cluster.change(_PODS, _RECYCLER, subresource="status", status={"phase": "Succeeded"})
        assert await phase(cluster, VOLUMES, "disk") == "Available"
        assert await cluster.get(_PODS, _RECYCLER) is None
        assert ("Normal", "VolumeRecycled", "Volume recycled") in await reports(cluster, "disk")


@pytest.mark.parametrize(("message", "why"), [("boom", "boom"), ("", "pod failed, pod.Status.Message unknown")])
async def test_a_volume_whose_recycler_fails_is_recycled_again(message: str, why: str) -> None:
    async with running(BINDER) as cluster:
        await release(cluster, volume(persistentVolumeReclaimPolicy="Recycle"))
        first = await cluster.get(_PODS, _RECYCLER)
        await cluster.change(_PODS, _RECYCLER, subresource="status", status={"phase": "Failed", "message": message})
        report = f"Recycle failed: failed to recycle volume: {why}"
        assert ("Warning", "VolumeFailedRecycle", report) in await reports(cluster, "disk")
        assert await phase(cluster, VOLUMES, "disk") == "Failed"
        await cluster.clock.advance(RESYNC)
        second = await cluster.get(_PODS, _RECYCLER)
        assert first is not None
        assert second is not None
        assert first["metadata"]["uid"] != second["metadata"]["uid"]


async def test_events_of_a_recycler_are_repeated_on_its_volume() -> None:
    async with running(BINDER) as cluster:
        await release(cluster, volume(persistentVolumeReclaimPolicy="Recycle"))
        head = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}}
        about = {"kind": "Pod", "namespace": "default", "name": _RECYCLER}
        await cluster.create({**head, "involvedObject": about, "type": "Warning", "message": "no node"})
        assert ("Warning", "RecyclerPod", "Recycler pod: no node") in await reports(cluster, "disk")


async def test_a_volume_without_a_recycler_fails() -> None:
    async with running(BINDER) as cluster:
        source = {"volumeID": "a"}
        await release(cluster, volume(persistentVolumeReclaimPolicy="Recycle", awsElasticBlockStore=source))
        report = ("Warning", "VolumeFailedRecycle", "No recycler plugin found for the volume!")
        assert await reports(cluster, "disk") == [report]
        assert await phase(cluster, VOLUMES, "disk") == "Failed"


async def test_a_volume_in_use_is_not_recycled_yet() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(user())
        await release(cluster, volume(persistentVolumeReclaimPolicy="Recycle"))
        assert await reports(cluster, "disk") == [
            ("Normal", "VolumeFailedRecycle", "Volume is used by pods: default/web")
        ]
        await cluster.change(_PODS, "web", subresource="status", status={"phase": "Succeeded"})
        await cluster.clock.advance(RESYNC)
        assert await cluster.get(_PODS, _RECYCLER) is not None
