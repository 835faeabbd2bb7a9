from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, owned_by, pod, running
from tests.controllers.workloads import TEMPLATE as POD_TEMPLATE
from tests.controllers.workloads import listed, make_ready, names, reports, workload

CONTROLLER = "statefulset"
CLAIMS = "persistentvolumeclaims"
TEMPLATE: Document = {
    "metadata": {"name": "data", "labels": {"tier": "db", "app": "other"}},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}

pytestmark = pytest.mark.anyio


def set_with_claims(replicas: int = 1, *, deleted: str = "Retain", scaled: str = "Retain", **spec: Any) -> Document:
    policy = {"whenDeleted": deleted, "whenScaled": scaled}
    settings = {"volumeClaimTemplates": [TEMPLATE], "persistentVolumeClaimRetentionPolicy": policy, **spec}
    return workload("StatefulSet", replicas, **settings)


async def owners(cluster: Cluster, claim: str) -> list[Document]:
    document = await cluster.get(CLAIMS, claim)
    assert document is not None
    found: list[Document] = document["metadata"].get("ownerReferences", [])
    return found


async def test_a_pod_gets_a_claim_of_its_own() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(set_with_claims())
        (claim,) = await listed(cluster, CLAIMS)
        assert (claim.name, claim.labels) == ("data-web-0", {"tier": "db", "app": "web"})
        assert claim.document["spec"]["resources"] == {"requests": {"storage": "1Gi"}}
        (made,) = await listed(cluster)
        assert made.document["spec"]["volumes"] == [
            {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}}
        ]
        assert sorted(await reports(cluster, "SuccessfulCreate")) == [
            "Create Claim data-web-0 Pod web-0 in StatefulSet web success",
            "Create Pod web-0 in StatefulSet web successful",
        ]


async def test_a_volume_of_the_template_gives_way_to_a_claim_of_its_name() -> None:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "a"}], "volumes": [{"name": "data"}, {"name": "tmp"}]},
    }
    async with running(CONTROLLER) as cluster:
        await cluster.create(set_with_claims(template=template))
        (made,) = await listed(cluster)
        assert [set(volume) for volume in made.document["spec"]["volumes"]] == [
            {"name", "persistentVolumeClaim"},
            {"name", "emptyDir"},
        ]


async def test_a_claim_that_is_there_is_used() -> None:
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **TEMPLATE, "metadata": {"name": "data-web-0"}}
    async with running(CONTROLLER) as cluster:
        kept = await cluster.create(claim)
        await cluster.create(set_with_claims())
        (found,) = await listed(cluster, CLAIMS)
        assert (found.uid, await names(cluster)) == (kept.uid, ["web-0"])


async def test_without_its_claim_no_pod_is_made() -> None:
    template = {**TEMPLATE, "metadata": {"name": "data", "annotations": {"a b": "c"}}}
    async with running(CONTROLLER) as cluster:
        await cluster.create(set_with_claims(volumeClaimTemplates=[template]))
        assert await names(cluster) == []
        failures = await reports(cluster, "FailedCreate")
        assert failures[0].startswith("Create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: ")
        assert failures[1].startswith(
            "Create Pod web-0 in StatefulSet web failed error: failed to create PVC data-web-0: "
        )


async def test_a_claim_that_goes_holds_its_pod_up() -> None:
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **TEMPLATE, "metadata": {"name": "data-web-0"}}
    async with running(CONTROLLER) as cluster:
        await cluster.create(claim)
        await cluster.delete(CLAIMS, "data-web-0")
        await cluster.create(set_with_claims())
        failure = "Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted"
        assert set(await reports(cluster, "FailedCreate")) == {failure}


@pytest.mark.parametrize(("deleted", "owned"), [("Delete", True), ("Retain", False)])
async def test_claims_go_with_their_set_where_it_says_so(deleted: str, owned: bool) -> None:
    async with running(CONTROLLER) as cluster:
        owner = await cluster.create(set_with_claims(deleted=deleted))
        expected = [owned_by(owner, controller=True, blockOwnerDeletion=True)] if owned else []
        assert await owners(cluster, "data-web-0") == expected


async def test_claims_of_a_surplus_pod_go_with_it() -> None:
    async with running(CONTROLLER) as cluster:
        both = await cluster.create(
            set_with_claims(2, deleted="Delete", scaled="Delete", podManagementPolicy="Parallel")
        )
        await make_ready(cluster, "web-0", "web-1")
        surplus = next(stored for stored in await listed(cluster) if stored.name == "web-1")
        await cluster.change("statefulsets", "web", spec={**both.document["spec"], "replicas": 1})
        assert await owners(cluster, "data-web-1") == [owned_by(surplus, controller=True, blockOwnerDeletion=True)]
        assert [owner["kind"] for owner in await owners(cluster, "data-web-0")] == ["StatefulSet"]
        assert await names(cluster) == ["web-0"]


async def test_a_pod_waits_for_the_claim_of_its_predecessor_to_go() -> None:
    stale = {"apiVersion": "v1", "kind": "Pod", "name": "web-0", "uid": "gone", "controller": True}
    metadata = {"name": "data-web-0", "ownerReferences": [stale]}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **TEMPLATE, "metadata": metadata}
    async with running(CONTROLLER) as cluster:
        await cluster.create(claim)
        await cluster.create(set_with_claims(scaled="Delete"))
        assert await names(cluster) == []


async def test_claims_of_another_controller_are_left_alone() -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "other", "controller": True}
    metadata = {"name": "data-web-0", "ownerReferences": [other]}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **TEMPLATE, "metadata": metadata}
    async with running(CONTROLLER) as cluster:
        await cluster.create(claim)
        await cluster.create(set_with_claims(deleted="Delete"))
        assert [owner["uid"] for owner in await owners(cluster, "data-web-0")] == ["other"]
        (warning,) = set(await reports(cluster, "ConflictingController"))
        assert warning.startswith("PersistentVolumeClaim data-web-0 has a conflicting OwnerReference")


async def test_a_pod_that_lacks_its_claims_cannot_be_set_right() -> None:
    ready: dict[str, Any] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    async with running(CONTROLLER) as cluster:
        await cluster.create(pod("web-0", ready))
        await cluster.create(set_with_claims(updateStrategy={"type": "OnDelete"}))
        assert await names(cluster, CLAIMS) == ["data-web-0"]
        (failure,) = set(await reports(cluster, "FailedUpdate"))
        assert failure.startswith("Update Pod web-0 in StatefulSet web failed error: Pod ")


async def test_claims_of_a_refused_pod_have_their_owner_already() -> None:
    refused = {**POD_TEMPLATE, "spec": {**POD_TEMPLATE["spec"], "priorityClassName": "missing"}}
    async with running(CONTROLLER) as cluster:
        made = await cluster.create(set_with_claims(deleted="Delete", template=refused))
        assert await names(cluster) == []
        assert await owners(cluster, "data-web-0") == [owned_by(made, controller=True, blockOwnerDeletion=True)]
