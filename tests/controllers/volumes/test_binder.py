from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import running
from tests.controllers.volumes.storage import (
    BINDER,
    CLAIMS,
    PROTECTION,
    RESYNC,
    VOLUMES,
    annotations,
    claim,
    phase,
    reports,
    storage_class,
    user,
    volume,
    volume_of,
)

pytestmark = pytest.mark.anyio

_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
_COMPLETED = "pv.kubernetes.io/bind-completed"
_WAIT = {"volumeBindingMode": "WaitForFirstConsumer"}
_LABELED = {"labels": {"tier": "fast"}}


async def test_a_claim_and_a_volume_are_bound_to_each_other() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume(size="5Gi"))
        assert await phase(cluster, VOLUMES, "disk") == "Available"
        await cluster.create(claim())
        found = await cluster.get(CLAIMS, "data")
        assert found is not None
        assert found["status"] == {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "5Gi"}}
        assert found["metadata"]["annotations"] == {_BY_CONTROLLER: "yes", _COMPLETED: "yes"}
        assert await annotations(cluster, VOLUMES, "disk") == {_BY_CONTROLLER: "yes"}
        assert await volume_of(cluster) == "disk"


async def test_a_claim_older_than_its_volume_is_bound_after_fifteen_seconds() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(claim())
        await cluster.create(volume())
        await cluster.clock.advance(RESYNC - 1)
        assert await volume_of(cluster) is None
        await cluster.clock.advance(1)
        assert await volume_of(cluster) == "disk"


@pytest.mark.parametrize(
    ("volumes", "wanted", "chosen"),
    [
        ([volume("a", "10Gi"), volume("b", "3Gi"), volume("c", "1Gi")], claim(size="2Gi"), "b"),
        ([volume("a", "1Gi")], claim(size="2Gi"), None),
        ([volume("b", "2Gi"), volume("a", "2Gi")], claim(), "a"),
        ([volume(accessModes=["ReadWriteOnce", "ReadOnlyMany"])], claim(accessModes=["ReadWriteMany"]), None),
        ([volume("a", accessModes=["ReadWriteOnce", "ReadWriteMany"]), volume("b", "9Gi")], claim(), "b"),
        ([volume("a", metadata=_LABELED), volume("b", "9Gi")], claim(selector={"matchLabels": {"tier": "x"}}), None),
        ([volume("a", "9Gi", metadata=_LABELED), volume("b")], claim(selector={"matchLabels": {"tier": "fast"}}), "a"),
        ([volume("a", storageClassName="gold"), volume("b", "9Gi")], claim(storageClassName="gold"), "a"),
        ([volume("a", storageClassName="gold"), volume("b", "9Gi")], claim(storageClassName=""), "b"),
        ([volume("a"), volume("b", "9Gi", volumeMode="Block")], claim(volumeMode="Block"), "b"),
        ([volume(claimRef={"namespace": "default", "name": "other"})], claim(), None),
        ([volume(claimRef={"namespace": "other", "name": "data"})], claim(), None),
        ([volume("a", "9Gi", claimRef={"namespace": "default", "name": "data"}), volume("b")], claim(), "a"),
        ([volume("a", claimRef={"namespace": "default", "name": "data"}), volume("b", "9Gi")], claim(size="2Gi"), "b"),
    ],
)
async def test_a_claim_gets_its_reserved_or_the_smallest_volume(
    volumes: list[Document], wanted: Document, chosen: str | None
) -> None:
    async with running(BINDER) as cluster:
        for each in volumes:
            await cluster.create(each)
        await cluster.create(wanted)
        assert await volume_of(cluster) == chosen


async def test_two_claims_do_not_share_a_volume() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume("a"))
        await cluster.create(volume("b"))
        await cluster.create(claim("one"))
        await cluster.create(claim("two"))
        assert [await volume_of(cluster, name) for name in ("one", "two")] == ["a", "b"]


@pytest.mark.parametrize("prebound", ["claim", "volume"])
async def test_a_side_that_a_user_bound_has_no_annotation_of_the_controller(prebound: str) -> None:
    reserved: Document = {"claimRef": {"namespace": "default", "name": "data"}} if prebound == "volume" else {}
    named: Document = {"volumeName": "disk"} if prebound == "claim" else {}
    async with running(BINDER) as cluster:
        await cluster.create(volume(**reserved))
        await cluster.create(claim(**named))
        assert await volume_of(cluster) == "disk"
        assert (_BY_CONTROLLER in await annotations(cluster, VOLUMES, "disk")) == (prebound == "claim")
        assert (_BY_CONTROLLER in await annotations(cluster, CLAIMS, "data")) == (prebound == "volume")


@pytest.mark.parametrize(
    ("given", "wanted", "why"),
    [
        ({}, {"size": "2Gi"}, "requested PV is too small"),
        ({"storageClassName": "gold"}, {"storageClassName": ""}, "storageClassName does not match"),
        (
            {"volumeAttributesClassName": "a", "csi": {"driver": "d", "volumeHandle": "h"}},
            {},
            "volumeAttributesClassName does not match",
        ),
        ({"volumeMode": "Block"}, {}, "incompatible volumeMode"),
        ({}, {"accessModes": ["ReadWriteMany"]}, "incompatible accessMode"),
    ],
)
async def test_a_volume_that_a_claim_names_and_cannot_have_is_reported(
    given: dict[str, Any], wanted: dict[str, Any], why: str
) -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume(**given))
        await cluster.create(claim(volumeName="disk", **wanted))
        message = f'Cannot bind to requested volume "disk": {why}'
        assert await reports(cluster, "data") == [("Warning", "VolumeMismatch", message)]
        assert await phase(cluster, CLAIMS, "data") == "Pending"


async def test_a_claim_that_names_a_taken_volume_waits() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume())
        await cluster.create(claim())
        await cluster.create(claim("two", volumeName="disk"))
        message = 'volume "disk" already bound to a different claim.'
        assert await reports(cluster, "two") == [("Warning", "FailedBinding", message)]


async def test_a_volume_that_is_torn_away_leaves_its_claim_lost() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume())
        await cluster.create(claim())
        await cluster.change(VOLUMES, "disk", metadata={"finalizers": []})
        await cluster.delete(VOLUMES, "disk")
        found = await cluster.get(CLAIMS, "data")
        assert found is not None
        assert found["status"] == {"phase": "Lost"}
        message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
        assert await reports(cluster, "data") == [("Warning", "ClaimLost", message)]


async def test_a_lost_claim_gets_a_new_volume_of_the_same_name_after_fifteen_seconds() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(claim(volumeName="disk", metadata={"annotations": {_COMPLETED: "yes"}}))
        assert await phase(cluster, CLAIMS, "data") == "Lost"
        await cluster.create(volume())
        assert await phase(cluster, CLAIMS, "data") == "Lost"
        await cluster.clock.advance(RESYNC)
        assert await volume_of(cluster) == "disk"


async def test_a_bound_claim_without_a_volume_name_is_lost() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(claim(metadata={"annotations": {_COMPLETED: "yes"}}))
        message = "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"
        assert await reports(cluster, "data") == [("Warning", "ClaimLost", message)]


async def test_a_claim_whose_volume_has_another_claim_is_lost() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume())
        await cluster.create(claim())
        await cluster.create(claim("two", volumeName="disk", metadata={"annotations": {_COMPLETED: "yes"}}))
        message = "Two claims are bound to the same volume, this one is bound incorrectly"
        assert await reports(cluster, "two") == [("Warning", "ClaimMisbound", message)]
        assert await phase(cluster, CLAIMS, "two") == "Lost"


async def test_a_volume_that_loses_its_claim_reference_is_bound_again() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume())
        await cluster.create(claim())
        found = await cluster.get(VOLUMES, "disk", "")
        assert found is not None
        spec = {name: value for name, value in found["spec"].items() if name != "claimRef"}
        await cluster.change(VOLUMES, "disk", spec=spec)
        assert await phase(cluster, VOLUMES, "disk") == "Available"
        await cluster.clock.advance(RESYNC)
        assert await volume_of(cluster) == "disk"


async def test_a_phase_that_another_client_writes_is_corrected() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume())
        await cluster.create(claim())
        await cluster.change(CLAIMS, "data", subresource="status", status={"phase": "Pending"})
        found = await cluster.get(CLAIMS, "data")
        assert found is not None
        assert found["status"] == {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}


async def test_a_capacity_that_grows_later_is_not_overwritten() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume())
        await cluster.create(claim())
        status = {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "3Gi"}}
        await cluster.change(CLAIMS, "data", subresource="status", status=status)
        found = await cluster.get(CLAIMS, "data")
        assert found is not None
        assert found["status"] == status


async def test_a_volume_with_the_uid_of_another_claim_is_released() -> None:
    reference = {"namespace": "default", "name": "data", "uid": "11111111-2222-4333-8444-555555555555"}
    async with running(BINDER) as cluster:
        await cluster.create(claim())
        await cluster.create(volume(claimRef=reference))
        assert await phase(cluster, VOLUMES, "disk") == "Released"
        assert await volume_of(cluster) is None


@pytest.mark.parametrize(("by_user", "kept"), [(False, None), (True, {"namespace": "default", "name": "data"})])
async def test_a_volume_whose_claim_has_another_volume_is_freed(by_user: bool, kept: Document | None) -> None:
    async with running(BINDER) as cluster:
        await cluster.create(volume("a"))
        bound = await cluster.create(claim())
        reference = {"namespace": "default", "name": "data", "uid": bound.uid}
        mark = {} if by_user else {"annotations": {_BY_CONTROLLER: "yes"}}
        await cluster.create(volume("b", metadata=mark, claimRef=reference))
        found = await cluster.get(VOLUMES, "b", "")
        assert found is not None
        assert found["spec"].get("claimRef") == kept
        assert found["status"]["phase"] == "Available"


async def test_different_volume_modes_of_a_pair_are_reported_on_both() -> None:
    async with running(BINDER) as cluster:
        waiting = await cluster.create(claim())
        reference = {"namespace": "default", "name": "data", "uid": waiting.uid}
        await cluster.create(volume(volumeMode="Block", claimRef=reference))
        about_volume = 'Cannot bind PersistentVolume to requested PersistentVolumeClaim "data"'
        about_claim = 'Cannot bind PersistentVolume "disk" to requested PersistentVolumeClaim'
        why = "due to incompatible volumeMode."
        assert await reports(cluster, "disk") == [("Warning", "VolumeMismatch", f"{about_volume} {why}")]
        assert ("Warning", "VolumeMismatch", f"{about_claim} {why}") in await reports(cluster, "data")


async def test_a_claim_without_a_class_and_volume_is_reported() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(claim())
        message = "no persistent volumes available for this claim and no storage class is set"
        assert await reports(cluster, "data") == [("Normal", "FailedBinding", message)]


async def test_a_waiting_claim_gets_a_class_that_becomes_the_default() -> None:
    mark = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    async with running(BINDER) as cluster:
        await cluster.create(claim())
        await cluster.create(claim("none", storageClassName=""))
        await cluster.create(storage_class("gold", metadata=mark))
        await cluster.clock.advance(RESYNC)
        found, other = await cluster.get(CLAIMS, "data"), await cluster.get(CLAIMS, "none")
        assert found is not None
        assert other is not None
        assert [each["spec"]["storageClassName"] for each in (found, other)] == ["gold", ""]


@pytest.mark.parametrize(
    ("pods", "report"),
    [
        ([], ("WaitForFirstConsumer", "waiting for first consumer to be created before binding")),
        (["a"], ("WaitForPodScheduled", "waiting for pod a to be scheduled")),
        (["a", "b"], ("WaitForPodScheduled", "waiting for pods a,b to be scheduled")),
    ],
)
async def test_a_claim_that_waits_for_a_consumer_is_reported(pods: list[str], report: tuple[str, str]) -> None:
    async with running(BINDER) as cluster:
        await cluster.create(storage_class("late", **_WAIT))
        await cluster.create(volume(storageClassName="late"))
        for name in pods:
            await cluster.create(user(name))
        await cluster.create(claim(storageClassName="late"))
        assert await reports(cluster, "data") == [("Normal", *report)]
        assert await volume_of(cluster) is None


async def test_a_reserved_volume_is_bound_without_waiting_for_a_consumer() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(storage_class("late", **_WAIT))
        reference = {"namespace": "default", "name": "data"}
        await cluster.create(volume(storageClassName="late", claimRef=reference))
        await cluster.create(claim(storageClassName="late"))
        assert await volume_of(cluster) == "disk"


async def test_a_size_before_a_resize_becomes_the_capacity_of_the_claim() -> None:
    mark = {"annotations": {"volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi"}}
    async with running(BINDER) as cluster:
        await cluster.create(volume(size="5Gi", metadata=mark))
        await cluster.create(claim())
        found = await cluster.get(CLAIMS, "data")
        assert found is not None
        assert found["status"]["capacity"] == {"storage": "1Gi"}


async def test_bound_objects_need_no_timers() -> None:
    async with running(BINDER) as cluster:
        for number in range(3):
            await cluster.create(volume(f"disk-{number}"))
            await cluster.create(claim(f"data-{number}"))
        await cluster.clock.advance(2 * RESYNC)
        assert cluster.clock.timers == 0


async def test_protected_objects_go_when_their_counterpart_is_gone() -> None:
    async with running(BINDER, *PROTECTION) as cluster:
        await cluster.create(volume())
        await cluster.create(claim())
        await cluster.delete(VOLUMES, "disk")
        assert await phase(cluster, VOLUMES, "disk") == "Bound"
        await cluster.delete(CLAIMS, "data")
        assert await cluster.get(VOLUMES, "disk", "") is None
