import pytest

from tests.controllers.cluster import running
from tests.controllers.volumes.storage import BINDER, CLAIMS, RESYNC, annotations, claim, reports, storage_class

pytestmark = pytest.mark.anyio

_PROVISIONER = "volume.kubernetes.io/storage-provisioner"
_BETA = "volume.beta.kubernetes.io/storage-provisioner"


def waiting_for(provisioner: str) -> tuple[str, str, str]:
    message = (
        f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the "
        "system administrator. If volume creation is delayed, please verify that the provisioner is running and "
        "correctly registered."
    )
    return "Normal", "ExternalProvisioning", message


async def test_an_external_provisioner_is_asked_by_annotations() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(storage_class("gold"))
        await cluster.create(claim(storageClassName="gold"))
        assert await annotations(cluster, CLAIMS, "data") == {_PROVISIONER: "example.com/p", _BETA: "example.com/p"}
        assert await reports(cluster, "data") == [waiting_for("example.com/p")]


async def test_a_claim_of_a_replaced_plugin_names_the_csi_driver() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(storage_class("gold", "kubernetes.io/aws-ebs"))
        await cluster.create(claim(storageClassName="gold"))
        assert (await annotations(cluster, CLAIMS, "data"))[_PROVISIONER] == "ebs.csi.aws.com"
        assert await reports(cluster, "data") == [waiting_for("ebs.csi.aws.com")]


@pytest.mark.parametrize(
    ("provisioner", "why"),
    [
        ("kubernetes.io/no-provisioner", "no volume plugin matched name: kubernetes.io/no-provisioner"),
        ("kubernetes.io/nfs", "no provisionable volume plugin matched"),
        (
            "kubernetes.io/host-path",
            'Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled',
        ),
    ],
)
async def test_an_in_tree_provisioner_creates_no_volumes(provisioner: str, why: str) -> None:
    async with running(BINDER) as cluster:
        await cluster.create(storage_class("gold", provisioner))
        await cluster.create(claim(storageClassName="gold"))
        assert await reports(cluster, "data") == [("Warning", "ProvisioningFailed", why)]


async def test_mount_options_are_refused_for_host_paths() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(storage_class("gold", "kubernetes.io/host-path", mountOptions=["ro", "soft"]))
        await cluster.create(claim(storageClassName="gold"))
        why = 'Mount options are not supported by the provisioner but StorageClass "gold" has mount options [ro soft]'
        assert await reports(cluster, "data") == [("Warning", "ProvisioningFailed", why)]


async def test_a_class_that_is_created_later_provisions() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(claim(storageClassName="gold"))
        missing = 'storageclass.storage.k8s.io "gold" not found'
        assert await reports(cluster, "data") == [("Warning", "ProvisioningFailed", missing)]
        await cluster.create(storage_class("gold"))
        await cluster.clock.advance(RESYNC)
        assert waiting_for("example.com/p") in await reports(cluster, "data")


async def test_a_delayed_claim_is_provisioned_for_its_selected_node() -> None:
    async with running(BINDER) as cluster:
        await cluster.create(storage_class("late", volumeBindingMode="WaitForFirstConsumer"))
        await cluster.create(claim(storageClassName="late"))
        assert _PROVISIONER not in await annotations(cluster, CLAIMS, "data")
        await cluster.change(CLAIMS, "data", metadata={"annotations": {"volume.kubernetes.io/selected-node": "a"}})
        assert (await annotations(cluster, CLAIMS, "data"))[_PROVISIONER] == "example.com/p"
