"""Attaches CSI volumes to the nodes of the pods that use them (``pkg/controller/volume/attachdetach``)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, TypeAlias

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.nodes.types import AttachedVolume, Node
from memkube.apis.storage.v1.volumeattachments.types import VolumeAttachment
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.pods_by_claim import claims_of_pod
from memkube.controllers.framework.pods_by_node import node_of
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.kubelet.storage.attachments import MANAGED, requires_attachment, unique_name
from memkube.controllers.volumes.binding_rules import CLAIMS, VOLUMES, annotations_of, claim_key, modes_of
from memkube.controllers.workloads.pod_state import uses_no_volumes
from memkube.registry.objects.stored import StoredObject

ATTACHMENTS: Final = ("storage.k8s.io", "v1", "volumeattachments")
_NODES: Final = ("", "v1", "nodes")
_SHARED: Final = frozenset({"ReadWriteMany", "ReadOnlyMany"})
_TIMEOUT: Final = timedelta(minutes=2)
"""Time to wait for an external attacher until an Event of type Warning reports the failure."""
_FAILED: Final = "FailedAttachVolume"

Users: TypeAlias = Mapping[str, Sequence[StoredObject]]
"""Pods that use a volume, by the name of their node."""


class AttachDetachController:
    """Maintains VolumeAttachments for the CSI volumes that pods use, and ``volumesAttached`` of nodes.

    Volumes of iSCSI, Fibre Channel, and in-tree plugins that CSI drivers replace are not attached.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._events = EventRecorder(runtime, "attachdetach-controller")
        self._users = runtime.pods_by_claim
        self._by_node = runtime.pods_by_node
        of = runtime.informers.of
        self._nodes, self._claims, self._volumes = of(*_NODES), of(*CLAIMS), of(*VOLUMES)
        self._drivers = of("storage.k8s.io", "v1", "csidrivers")
        self._attachments = _AttachmentsByVolume()
        self._begun: dict[str, datetime] = {}
        """Times since which VolumeAttachments wait for an attacher, by their names."""
        self._refused: set[str] = set()
        """Names of VolumeAttachments that were not created, because the volume is attached to another node."""
        self._queue = runtime.queue("attach and detach", self._sync)
        self._claims.subscribe(self._on_claim)
        self._volumes.subscribe(self._on_volume)
        of("", "v1", "pods").subscribe(self._on_pod)
        self._nodes.subscribe(self._on_node)
        of(*ATTACHMENTS).subscribe(self._on_attachment)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        if pod is not None and node_of(pod):
            self._add_volumes_of(pod)

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        claim = new or old
        name = None if claim is None else claim.document["spec"].get("volumeName")
        if name:
            self._queue.add(name)

    def _on_volume(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and new.document["spec"].get("csi") is not None:
            self._queue.add(new.name)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        node = new or old
        assert node is not None
        if old is not None and new is not None and _storage_state(old) == _storage_state(new):
            return
        for name in sorted(self._attachments.on_node(node.name)):
            self._queue.add(name)
        for pod in self._by_node.on(node.name):
            self._add_volumes_of(pod)

    def _on_attachment(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for name in sorted(self._attachments.update(old, new)):
            self._queue.add(name)
        if new is None and old is not None:
            self._begun.pop(old.name, None)

    def _add_volumes_of(self, pod: StoredObject) -> None:
        for name in claims_of_pod(pod):
            self._on_claim(None, self._claims.get(pod.namespace, name))

    async def _sync(self, name: str) -> None:
        volume = self._volumes.get("", name)
        source = None if volume is None else volume.document["spec"].get("csi")
        if volume is None or source is None:
            return
        users = self._users_of(volume) if requires_attachment(self._drivers.get("", source["driver"])) else {}
        attached = {each.document["spec"]["nodeName"]: each for each in self._attachments.of(volume, source)}
        for node, attachment in attached.items():
            if node not in users:
                await self._detach(volume, attachment)
        self._refused -= {attachment_name(source, node) for node in attached}
        modes = modes_of(volume.document)
        for node, pods in users.items():
            if node in attached:
                await self._follow(volume, attached[node], pods)
            elif attached and modes and not modes & _SHARED:
                await self._refuse(volume, node, pods, users)
            else:
                await self._attach(volume, node)

    def _users_of(self, volume: StoredObject) -> Users:
        """Return the pods that use a PersistentVolume, by node.

        Nodes that the controller does not manage are left out.
        """
        reference = volume.document["spec"].get("claimRef") or {}
        claim = self._claims.get(*claim_key(reference))
        if (
            claim is None
            or claim.uid != reference.get("uid")
            or claim.document["spec"].get("volumeName") != volume.name
        ):
            return {}
        users: dict[str, list[StoredObject]] = {}
        for pod in self._users.of(claim.namespace, claim.name):
            node = self._nodes.get("", node_of(pod))
            if node is not None and MANAGED in annotations_of(node.document) and not uses_no_volumes(pod):
                users.setdefault(node.name, []).append(pod)
        return users

    async def _attach(self, volume: StoredObject, node: str) -> None:
        source = volume.document["spec"]["csi"]
        spec = {"attacher": source["driver"], "source": {"persistentVolumeName": volume.name}, "nodeName": node}
        attachment = VolumeAttachment.from_document({"metadata": {"name": attachment_name(source, node)}, "spec": spec})
        try:
            await self._runtime.client.create(self._runtime.registry.find(*ATTACHMENTS).resource, attachment, "")
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise

    async def _follow(self, volume: StoredObject, attachment: StoredObject, pods: Iterable[StoredObject]) -> None:
        """React to the status of a VolumeAttachment that pods need.

        If the volume is attached, it is added to the node's status, and an Event about each pod is recorded. If
        attaching failed or timed out, a Warning is recorded.
        """
        node, status = attachment.document["spec"]["nodeName"], attachment.document.get("status") or {}
        if "deletionTimestamp" in attachment.document["metadata"]:
            return
        if status.get("attached"):
            self._begun.pop(attachment.name, None)
            if await self._set_attached(volume, node, is_attached=True):
                message = f"AttachVolume.Attach succeeded for volume {quoted(volume.name)} "
                await self._report(pods, Report("Normal", "SuccessfulAttachVolume", message))
            return
        begun = self._begun.setdefault(attachment.name, self._clock.now())
        failure = (status.get("attachError") or {}).get("message", "")
        if not failure and self._clock.now() - begun >= _TIMEOUT:
            driver, handle = (volume.document["spec"]["csi"][name] for name in ("driver", "volumeHandle"))
            failure = f"timed out waiting for external-attacher of {driver} CSI driver to attach volume {handle}"
        if failure:
            self._begun[attachment.name] = self._clock.now()
            message = f"AttachVolume.Attach failed for volume {quoted(volume.name)} : {failure}"
            await self._report(pods, Report("Warning", _FAILED, message))
        self._queue.add_after(volume.name, _TIMEOUT.total_seconds())

    async def _refuse(self, volume: StoredObject, node: str, pods: Sequence[StoredObject], users: Users) -> None:
        """Record an Event about each of `pods`: the volume cannot be attached to `node`, because another node has it.

        The Events are recorded once for each volume and node. `users` has all pods that use the volume, by node: the
        Events name the pods on other nodes.
        """
        name = attachment_name(volume.document["spec"]["csi"], node)
        if name in self._refused:
            return
        self._refused.add(name)
        others = [pod for other, theirs in users.items() if other != node for pod in theirs]
        for pod in pods:
            message = f"Multi-Attach error for volume {quoted(volume.name)} {_users_shown(pod, others)}"
            await self._events.record(pod, Report("Warning", _FAILED, message))

    async def _detach(self, volume: StoredObject, attachment: StoredObject) -> None:
        """Delete a VolumeAttachment that no pod needs, after the node's kubelet has stopped using the volume."""
        node = attachment.document["spec"]["nodeName"]
        found = self._nodes.get("", node)
        in_use = () if found is None else found.document["status"].get("volumesInUse") or ()
        if unique_name(volume.document) in in_use or "deletionTimestamp" in attachment.document["metadata"]:
            return
        await self._set_attached(volume, node, is_attached=False)
        resource = self._runtime.registry.find(*ATTACHMENTS).resource
        with ignoring_absence():
            await self._runtime.client.delete(resource, "", attachment.name, DeleteOptions())

    async def _set_attached(self, volume: StoredObject, node: str, *, is_attached: bool) -> bool:
        """Add a volume to the node's ``volumesAttached``, or remove it. Returns True if that changed the node."""
        found, name = self._nodes.get("", node), unique_name(volume.document)
        if found is None:
            return False
        known = [each["name"] for each in found.document["status"].get("volumesAttached") or ()]
        if (name in known) == is_attached:
            return False

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Node)
            others = [each for each in obj.status.volumesAttached if each.name != name]
            obj.status.volumesAttached = [*others, AttachedVolume(name=name)] if is_attached else others

        resource = self._runtime.registry.find(*_NODES).resource
        await self._runtime.client.update(resource, found, change, subresource="status")
        return True

    async def _report(self, pods: Iterable[StoredObject], report: Report) -> None:
        for pod in pods:
            await self._events.record(pod, report)


class _AttachmentsByVolume:
    """Index of VolumeAttachments by the PersistentVolume that they attach."""

    def __init__(self) -> None:
        self._attachments: dict[str, dict[str, StoredObject]] = {}
        self._by_node: dict[str, dict[str, str]] = {}
        """Names of PersistentVolumes by the name of their VolumeAttachment, for each node."""

    def of(self, volume: StoredObject, source: Mapping[str, str]) -> Iterator[StoredObject]:
        """Yield the VolumeAttachments that this controller has created for `volume`. `source` is its ``spec.csi``."""
        for attachment in list(self._attachments.get(volume.name, {}).values()):
            if attachment.name == attachment_name(source, attachment.document["spec"]["nodeName"]):
                yield attachment

    def on_node(self, node: str) -> set[str]:
        """Return the names of the volumes that have a VolumeAttachment for this node."""
        return set(self._by_node.get(node, {}).values())

    def update(self, old: StoredObject | None, new: StoredObject | None) -> set[str]:
        """Update the index after a change of a VolumeAttachment. Returns the names of the volumes that it attaches."""
        attachment = new or old
        assert attachment is not None
        spec = attachment.document["spec"]
        volume: str | None = spec["source"].get("persistentVolumeName")
        if not volume:
            return set()
        if new is None:
            for index, key in ((self._attachments, volume), (self._by_node, spec["nodeName"])):
                index.get(key, {}).pop(attachment.name, None)
                if not index.get(key, True):
                    del index[key]
        else:
            self._attachments.setdefault(volume, {})[new.name] = new
            self._by_node.setdefault(spec["nodeName"], {})[new.name] = volume
        return {volume}


def attachment_name(source: Mapping[str, str], node: str) -> str:
    """Return the name of the VolumeAttachment for a node and a CSI volume, given as the ``csi`` field of its spec."""
    identity = f"{source['volumeHandle']}{source['driver']}{node}"
    return f"csi-{sha256(identity.encode()).hexdigest()}"


def _storage_state(node: StoredObject) -> tuple[bool, object, object]:
    """Return the parts of a node on which the attachment of volumes depends, to detect changes."""
    status = node.document["status"]
    return MANAGED in annotations_of(node.document), status.get("volumesInUse"), status.get("volumesAttached")


def _users_shown(pod: StoredObject, others: Sequence[StoredObject]) -> str:
    """Return the end of an Event's message about `pod`, which says which other pods use its volume.

    Pods in namespaces other than that of `pod` are counted, but not named.
    """
    if not others:
        return "Volume is already exclusively attached to one node and can't be attached to another"
    near = [other.name for other in others if other.namespace == pod.namespace]
    far = len(others) - len(near)
    if not near:
        return f"Volume is already used by {far} pod(s) in different namespaces"
    shown = f"Volume is already used by pod(s) {', '.join(near)}"
    return f"{shown} and {far} pod(s) in different namespaces" if far else shown
