"""Dynamic provisioning: requests a volume from the provisioner of a claim's StorageClass (``provisionClaim``)."""

from collections.abc import Iterable
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.volumes.binding_rules import (
    BETA_PROVISIONER,
    PROVISIONER,
    STORAGE_CLASSES,
    annotations_of,
    class_of,
)
from memkube.controllers.volumes.binding_writes import BindingWrites
from memkube.controllers.volumes.migration import set_migrated
from memkube.controllers.volumes.operations import BackOff
from memkube.controllers.volumes.plugins import HOST_PATH, NoPlugin, csi_driver_of, is_external
from memkube.registry.objects.stored import StoredObject

_FAILED: Final = "ProvisioningFailed"


class Provisioning:
    """Requests volumes for claims from external provisioners, by setting an annotation of the claim.

    kube-controller-manager itself only has a provisioner of hostPath volumes, which is disabled by default.
    """

    def __init__(self, runtime: Runtime, writes: BindingWrites) -> None:
        self._writes = writes
        self._classes = runtime.informers.of(*STORAGE_CLASSES)
        self._back_off = BackOff(runtime.clock)

    async def provision(self, claim: StoredObject) -> None:
        """Request a volume from the provisioner of a claim's StorageClass, and record an Event."""
        name = class_of(claim.document)
        found = self._classes.get("", name)
        if found is None:
            await self._report_failure(claim, f"storageclass.storage.k8s.io {quoted(name)} not found")
            return
        provisioner: str = found.document["provisioner"]
        try:
            external = is_external(provisioner)
        except NoPlugin as error:
            await self._report_failure(claim, str(error))
            return
        if external:
            await self._ask(claim, csi_driver_of(provisioner) or provisioner)
        elif not self._back_off.is_postponed((claim.namespace, claim.name), claim.uid):
            self._back_off.failed((claim.namespace, claim.name), claim.uid)
            await self._fail_in_tree(claim, found)

    def forget(self, claim: tuple[str, str]) -> None:
        """Remove the recorded failures of a deleted claim's provisioning."""
        self._back_off.forget(claim)

    async def _ask(self, claim: StoredObject, provisioner: str) -> None:
        claim = await self._annotate(claim, provisioner)
        message = (
            f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the "
            "system administrator. If volume creation is delayed, please verify that the provisioner is running and "
            "correctly registered."
        )
        await self._writes.report(claim, Report("Normal", "ExternalProvisioning", message))

    async def _fail_in_tree(self, claim: StoredObject, storage_class: StoredObject) -> None:
        """Record an Event that explains why kube-controller-manager's hostPath provisioner creates no volume."""
        if claim.document["spec"].get("dataSource") is not None:
            why = "is not a CSI plugin. Only CSI plugin can provision a claim with a datasource"
            await self._report_failure(claim, f"plugin {quoted(HOST_PATH)} {why}")
            return
        claim = await self._annotate(claim, HOST_PATH)
        await self._report_failure(claim, _host_path_failure(storage_class.document))

    async def _annotate(self, claim: StoredObject, provisioner: str) -> StoredObject:
        if annotations_of(claim.document).get(PROVISIONER) == provisioner:
            return claim

        def change(obj: PersistentVolumeClaim) -> None:
            annotations = obj.metadata.annotations
            annotations[BETA_PROVISIONER] = annotations[PROVISIONER] = provisioner
            set_migrated(annotations, provisioner)

        return await self._writes.change_claim(claim, change)

    async def _report_failure(self, claim: StoredObject, why: str) -> None:
        await self._writes.report(claim, Report("Warning", _FAILED, why))


def _host_path_failure(storage_class: Document) -> str:
    options: Iterable[str] = storage_class.get("mountOptions") or ()
    if options:
        name = quoted(storage_class["metadata"]["name"])
        shown = f"[{' '.join(options)}]"
        return f"Mount options are not supported by the provisioner but StorageClass {name} has mount options {shown}"
    return f"Failed to create provisioner: provisioning in volume plugin {quoted(HOST_PATH)} is disabled"
