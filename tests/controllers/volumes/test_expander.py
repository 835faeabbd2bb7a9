import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, running
from tests.controllers.volumes.storage import BINDER, CLAIMS, annotations, claim, reports, storage_class, volume

pytestmark = pytest.mark.anyio

_EXPANDER = "persistentvolume-expander-controller"


async def grow(cluster: Cluster, disk: Document) -> None:
    """Bind a claim to a volume, and request more storage."""
    await cluster.create(storage_class("gold", allowVolumeExpansion=True))
    await cluster.create(disk)
    bound = await cluster.create(claim(storageClassName="gold"))
    found = await cluster.get(CLAIMS, bound.name)
    assert found is not None
    assert await reports(cluster, "data") == []
    await cluster.change(CLAIMS, "data", spec={**found["spec"], "resources": {"requests": {"storage": "2Gi"}}})


async def test_a_claim_that_requests_more_waits_for_an_external_controller() -> None:
    async with running(BINDER, _EXPANDER) as cluster:
        await grow(cluster, volume(storageClassName="gold"))
        message = "waiting for an external controller to expand this PVC"
        assert await reports(cluster, "data") == [("Normal", "ExternalExpanding", message)]


async def test_a_claim_of_a_replaced_plugin_names_the_csi_driver_that_resizes_it() -> None:
    async with running(BINDER, _EXPANDER) as cluster:
        await grow(cluster, volume(storageClassName="gold", awsElasticBlockStore={"volumeID": "a"}))
        message = "CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc"
        assert await reports(cluster, "data") == [("Normal", "ExternalExpanding", message)]
        resizer = (await annotations(cluster, CLAIMS, "data"))["volume.kubernetes.io/storage-resizer"]
        assert resizer == "ebs.csi.aws.com"
