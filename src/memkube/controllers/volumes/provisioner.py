"""A simulated provisioner and resizer of volumes, which are external components in a real cluster.

Their Events are those of sig-storage-lib-external-provisioner and external-resizer.
"""

from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.persistentvolumes.types import PersistentVolume
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.apis.storage.v1.classes import SIMULATED_PROVISIONER
from memkube.controllers.available import KUBELET
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report, reference_to
from memkube.controllers.framework.known_objects import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.volumes.attacher import SimulatedAttacher
from memkube.controllers.volumes.binding_rules import (
    CLAIMS,
    PROVISIONED_BY,
    PROVISIONER,
    SELECTED_NODE,
    STORAGE_CLASSES,
    VOLUMES,
    annotations_of,
    attributes_class_of,
    class_of,
    delays_binding,
    requested,
)
from memkube.registry.objects.stored import StoredObject

_NODES: Final = ("", "v1", "nodes")
_HOST_NAME: Final = "kubernetes.io/hostname"
_FOLDER: Final = "/var/lib/memkube/volumes"
_MANAGER: Final = "storage-provisioner"
_UNSUPPORTED: Final = "is not supported by the simulated provisioner"


class SimulatedProvisioner:
    """Creates, enlarges and deletes volumes for claims whose StorageClass names the simulated provisioner.

    If the nodes are simulated too, it also runs the simulated attacher.

    The volumes simulate directories on nodes. With WaitForFirstConsumer, a volume is accessible from the selected node
    only, otherwise from all nodes in the topologies of the StorageClass.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of(_MANAGER)
        self._provisions = EventRecorder(runtime, SIMULATED_PROVISIONER, manager=_MANAGER)
        self._resizes = EventRecorder(runtime, f"external-resizer {SIMULATED_PROVISIONER}", manager=_MANAGER)
        self._classes = runtime.informers.of(*STORAGE_CLASSES)
        self._nodes = runtime.informers.of(*_NODES)
        self._claims = runtime.informers.of(*CLAIMS)
        self._volumes = runtime.informers.of(*VOLUMES)
        self._queue = runtime.queue("storage provisioner", self._sync)
        self._claims.subscribe(self._on_claim)
        self._volumes.subscribe(self._on_volume)
        if KUBELET in runtime.controllers:
            SimulatedAttacher(runtime)

    def _on_claim(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and (self._is_to_be_provisioned(new.document) or _is_to_be_resized(new.document)):
            self._queue.add((new.namespace, new.name))

    def _on_volume(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and _is_to_be_deleted(new.document):
            self._queue.add(("", new.name))

    async def _sync(self, key: Key) -> None:
        if not key[0]:
            await self._delete(key)
            return
        claim = self._claims.get(*key)
        if claim is None:
            return
        if self._is_to_be_provisioned(claim.document):
            await self._provision(claim)
        elif _is_to_be_resized(claim.document):
            await self._resize(claim)

    def _is_to_be_provisioned(self, claim: Document) -> bool:
        annotations = annotations_of(claim)
        if claim["spec"].get("volumeName") or annotations.get(PROVISIONER) != SIMULATED_PROVISIONER:
            return False
        return SELECTED_NODE in annotations or not delays_binding(claim, self._classes)

    async def _provision(self, claim: StoredObject) -> None:
        storage_class = self._classes.get("", class_of(claim.document))
        if storage_class is None or storage_class.document["provisioner"] != SIMULATED_PROVISIONER:
            return
        node = annotations_of(claim.document).get(SELECTED_NODE)
        message = f'External provisioner is provisioning volume for claim "{claim.namespace}/{claim.name}"'
        await self._provisions.record(claim, Report("Normal", "Provisioning", message))
        if node is not None and self._nodes.get("", node) is None:
            await self._fail(claim, f"node {quoted(node)} not found")
            await self._deselect_node(claim)
            return
        why = _unsupported(claim.document)
        if why:
            await self._fail(claim, why)
            return
        volume = PersistentVolume.from_document(_new_volume(claim, storage_class.document, node))
        try:
            await self._client.create(self._runtime.registry.find(*VOLUMES).resource, volume, "")
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise
            return
        message = f"Successfully provisioned volume {volume.metadata.name}"
        await self._provisions.record(claim, Report("Normal", "ProvisioningSucceeded", message))

    async def _fail(self, claim: StoredObject, why: str) -> None:
        name = quoted(class_of(claim.document))
        message = f"failed to provision volume with StorageClass {name}: {why}"
        await self._provisions.record(claim, Report("Warning", "ProvisioningFailed", message))

    async def _deselect_node(self, claim: StoredObject) -> None:
        """Remove the selected node from a claim, so that the scheduler selects another node."""

        def change(obj: ApiObject) -> None:
            obj.metadata.annotations.pop(SELECTED_NODE, None)

        await self._client.update(self._runtime.registry.find(*CLAIMS).resource, claim, change)

    async def _delete(self, key: Key) -> None:
        volume = self._volumes.get(*key)
        if volume is None or not _is_to_be_deleted(volume.document):
            return
        resource = self._runtime.registry.find(*VOLUMES).resource
        with ignoring_absence():
            await self._client.delete(resource, "", volume.name, DeleteOptions())

    async def _resize(self, claim: StoredObject) -> None:
        """Enlarge the volume of a claim to the requested size, and update the capacities of volume and claim."""
        name = claim.document["spec"]["volumeName"]
        volume = self._volumes.get("", name)
        if volume is None or annotations_of(volume.document).get(PROVISIONED_BY) != SIMULATED_PROVISIONER:
            return
        message = f"External resizer is resizing volume {name}"
        await self._resizes.record(claim, Report("Normal", "Resizing", message))
        size = requested(claim.document)

        def enlarge(obj: ApiObject) -> None:
            assert isinstance(obj, PersistentVolume)
            obj.spec.capacity["storage"] = size

        def report_size(obj: ApiObject) -> None:
            assert isinstance(obj, PersistentVolumeClaim)
            obj.status.capacity["storage"] = obj.status.allocatedResources["storage"] = size

        await self._client.update(self._runtime.registry.find(*VOLUMES).resource, volume, enlarge)
        resource = self._runtime.registry.find(*CLAIMS).resource
        await self._client.update(resource, claim, report_size, subresource="status")
        await self._resizes.record(claim, Report("Normal", "VolumeResizeSuccessful", "Resize volume succeeded"))


def _is_to_be_resized(claim: Document) -> bool:
    capacity = (claim["status"].get("capacity") or {}).get("storage")
    if claim["status"].get("phase") != "Bound" or capacity is None:
        return False
    return requested(claim).nano > Quantity(capacity).nano


def _is_to_be_deleted(volume: Document) -> bool:
    return (
        volume["status"].get("phase") == "Released"
        and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete"
        and annotations_of(volume).get(PROVISIONED_BY) == SIMULATED_PROVISIONER
        and "deletionTimestamp" not in volume["metadata"]
    )


def _unsupported(claim: Document) -> str:
    """Return a message about a feature of the claim that the simulated provisioner does not support, or ""."""
    spec = claim["spec"]
    if spec.get("selector") is not None:
        return f"claim Selector {_UNSUPPORTED}"
    if spec.get("dataSource") is not None or spec.get("dataSourceRef") is not None:
        return f"a data source {_UNSUPPORTED}"
    return f"VolumeAttributesClass {_UNSUPPORTED}" if attributes_class_of(claim) else ""


def _new_volume(claim: StoredObject, storage_class: Document, node: str | None) -> Document:
    name, spec = f"pvc-{claim.uid}", claim.document["spec"]
    path = f"{_FOLDER}/{name}_{claim.namespace}_{claim.name}"
    volume = {
        "capacity": {"storage": requested(claim.document)},
        "hostPath": {"path": path, "type": "DirectoryOrCreate"},
        "accessModes": spec.get("accessModes") or [],
        "claimRef": reference_to(claim).to_document(),
        "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy", "Delete"),
        "storageClassName": class_of(claim.document),
        "volumeMode": spec.get("volumeMode"),
    }
    if storage_class.get("mountOptions"):
        volume["mountOptions"] = storage_class["mountOptions"]
    terms = _terms(storage_class, node)
    if terms:
        volume["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    return {"metadata": {"name": name, "annotations": {PROVISIONED_BY: SIMULATED_PROVISIONER}}, "spec": volume}


def _terms(storage_class: Document, node: str | None) -> list[Document]:
    """Return the node affinity terms for a new volume; empty if all nodes can access it.

    They select `node` or, if it is None, the topologies that the storage class allows.
    """
    if node is not None:
        return [{"matchExpressions": [{"key": _HOST_NAME, "operator": "In", "values": [node]}]}]
    topologies = [term.get("matchLabelExpressions") or () for term in storage_class.get("allowedTopologies") or ()]
    return [
        {"matchExpressions": [{"key": each["key"], "operator": "In", "values": each["values"]} for each in expressions]}
        for expressions in topologies
        if expressions
    ]
