from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.apis.storage.v1.classes import SIMULATED_PROVISIONER
from memkube.controllers.available import PROVISIONER
from tests.controllers.cluster import Cluster, running
from tests.controllers.volumes.storage import (
    BINDER,
    CLAIMS,
    PROTECTION,
    VOLUMES,
    annotations,
    claim,
    phase,
    reports,
    storage_class,
    volume_of,
)

pytestmark = pytest.mark.anyio

_RUNNING = (BINDER, PROVISIONER, *PROTECTION)
_SELECTED = "volume.kubernetes.io/selected-node"
_LATE = {"volumeBindingMode": "WaitForFirstConsumer"}
_NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}


async def with_class(cluster: Cluster, **fields: Any) -> None:
    await cluster.create(storage_class("standard", SIMULATED_PROVISIONER, **fields))


async def provisioned(cluster: Cluster) -> Document:
    found = await cluster.get(VOLUMES, await volume_of(cluster) or "", "")
    assert found is not None
    return found


async def test_a_claim_gets_a_volume_of_its_size_at_once() -> None:
    async with running(*_RUNNING) as cluster:
        await with_class(cluster, mountOptions=["ro"])
        created = await cluster.create(claim(size="3Gi", storageClassName="standard", accessModes=["ReadWriteMany"]))
        found = await provisioned(cluster)
        assert found["metadata"]["name"] == f"pvc-{created.uid}"
        spec = found["spec"]
        assert (spec["capacity"], spec["accessModes"]) == ({"storage": "3Gi"}, ["ReadWriteMany"])
        assert (spec["persistentVolumeReclaimPolicy"], spec["mountOptions"]) == ("Delete", ["ro"])
        assert "nodeAffinity" not in spec


async def test_the_events_are_those_of_an_external_provisioner() -> None:
    async with running(*_RUNNING) as cluster:
        await with_class(cluster)
        created = await cluster.create(claim(storageClassName="standard"))
        told = [(reason, message) for _, reason, message in await reports(cluster, "data")]
        assert ("Provisioning", 'External provisioner is provisioning volume for claim "default/data"') in told
        assert ("ProvisioningSucceeded", f"Successfully provisioned volume pvc-{created.uid}") in told
        assert any(reason == "ExternalProvisioning" for reason, _ in told)


async def test_a_delayed_claim_gets_a_volume_on_its_selected_node() -> None:
    async with running(*_RUNNING) as cluster:
        await cluster.create(_NODE)
        await with_class(cluster, **_LATE)
        await cluster.create(claim(storageClassName="standard"))
        assert await volume_of(cluster) is None
        await cluster.change(CLAIMS, "data", metadata={"annotations": {_SELECTED: "a"}})
        terms = (await provisioned(cluster))["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
        assert terms == [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["a"]}]}]


async def test_a_selected_node_that_is_gone_is_deselected() -> None:
    async with running(*_RUNNING) as cluster:
        await with_class(cluster, **_LATE)
        await cluster.create(claim(storageClassName="standard"))
        await cluster.change(CLAIMS, "data", metadata={"annotations": {_SELECTED: "gone"}})
        assert _SELECTED not in await annotations(cluster, CLAIMS, "data")
        message = 'failed to provision volume with StorageClass "standard": node "gone" not found'
        assert ("Warning", "ProvisioningFailed", message) in await reports(cluster, "data")


async def test_a_volume_is_accessible_from_the_topologies_of_its_class() -> None:
    expression = {"key": "zone", "values": ["a", "b"]}
    async with running(*_RUNNING) as cluster:
        await with_class(cluster, allowedTopologies=[{"matchLabelExpressions": [expression]}])
        await cluster.create(claim(storageClassName="standard"))
        terms = (await provisioned(cluster))["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
        assert terms == [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}]


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ({"selector": {"matchLabels": {"a": "b"}}}, "claim Selector"),
        ({"dataSource": {"kind": "PersistentVolumeClaim", "name": "other"}}, "a data source"),
        ({"volumeAttributesClassName": "gold"}, "VolumeAttributesClass"),
    ],
)
async def test_features_that_are_not_simulated_are_refused(spec: dict[str, Any], what: str) -> None:
    async with running(*_RUNNING) as cluster:
        await with_class(cluster)
        await cluster.create(claim(storageClassName="standard", **spec))
        why = f"{what} is not supported by the simulated provisioner"
        message = f'failed to provision volume with StorageClass "standard": {why}'
        assert ("Warning", "ProvisioningFailed", message) in await reports(cluster, "data")
        assert await phase(cluster, CLAIMS, "data") == "Pending"


async def test_claims_of_other_provisioners_stay_pending() -> None:
    async with running(*_RUNNING) as cluster:
        await cluster.create(storage_class("standard", "example.com/p"))
        await cluster.create(claim(storageClassName="standard"))
        assert await phase(cluster, CLAIMS, "data") == "Pending"


@pytest.mark.parametrize(("policy", "left"), [("Delete", None), ("Retain", "Released")])
async def test_a_volume_goes_with_its_claim_unless_it_is_retained(policy: str, left: str | None) -> None:
    async with running(*_RUNNING) as cluster:
        await with_class(cluster, reclaimPolicy=policy)
        created = await cluster.create(claim(storageClassName="standard"))
        await cluster.delete(CLAIMS, "data")
        assert await phase(cluster, VOLUMES, f"pvc-{created.uid}") == left


async def test_a_claim_that_requests_more_grows_with_its_volume() -> None:
    async with running(*_RUNNING) as cluster:
        await with_class(cluster, allowVolumeExpansion=True)
        await cluster.create(claim(storageClassName="standard"))
        found = await cluster.get(CLAIMS, "data")
        assert found is not None
        await cluster.change(CLAIMS, "data", spec={**found["spec"], "resources": {"requests": {"storage": "2Gi"}}})
        grown, disk = await cluster.get(CLAIMS, "data"), await provisioned(cluster)
        assert grown is not None
        assert grown["status"]["capacity"] == disk["spec"]["capacity"] == {"storage": "2Gi"}
        told = await reports(cluster, "data")
        assert ("Normal", "Resizing", f"External resizer is resizing volume {disk['metadata']['name']}") in told
        assert ("Normal", "VolumeResizeSuccessful", "Resize volume succeeded") in told
