"""Updates the scheduler's cache and queue from watch events (``eventhandlers.go``)."""

from collections.abc import Container, Iterable

from memkube.controllers.framework.pods_by_claim import claim_names
from memkube.controllers.resource_claims.pod_claims import allocation_of, known_claim_names
from memkube.controllers.scheduler import hints
from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.devices.classes import is_requested, resource_of
from memkube.controllers.scheduler.framework import ClusterListers
from memkube.controllers.scheduler.hints import HELPED, node_change_helps, pod_change_helps
from memkube.controllers.scheduler.node_info import Change, PodChange, pod_changes
from memkube.controllers.scheduler.plugins.dynamic_resources import gate
from memkube.controllers.scheduler.plugins.volume_binding import is_raised, reports_capacity
from memkube.controllers.scheduler.plugins.volume_limits import limits_of
from memkube.controllers.scheduler.plugins.volume_zone import topologies_of
from memkube.controllers.scheduler.pod_info import PodInfo, is_ended, node_of
from memkube.controllers.scheduler.pod_queue import PodQueue
from memkube.registry.objects.stored import StoredObject


class Observer:
    """Event handlers of the scheduler for pods, nodes and storage objects.

    They update the cached cluster, and retry unschedulable pods that a change may make schedulable.
    """

    def __init__(
        self, cluster: Cluster, queue: PodQueue, listers: ClusterListers, scheduler_names: Container[str]
    ) -> None:
        self._cluster = cluster
        self._queue = queue
        self._listers = listers
        self._scheduler_names = scheduler_names

    def on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Update the cached cluster after a change of a node, and retry unschedulable pods that may fit now."""
        if new is not None:
            change, kinds = self._cluster.put_node(new)
        else:
            assert old is not None
            change, kinds = self._cluster.remove_node(old.name), {Change.NODE_DELETED}
        for kind in kinds:
            for queued in self._queue.parked(HELPED[kind]):
                if node_change_helps(queued, kind, change, self._listers):
                    self._queue.unpark(queued)

    def on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Queue a pod for scheduling, or update the cached cluster. An ended pod counts as deleted."""
        if old is not None and is_ended(old):
            old = None
        if new is not None and is_ended(new):
            new = None
        if new is None:
            if old is not None:
                self._on_pod_deleted(old)
        elif not node_of(new):
            self._pending(old, new)
        elif old is None or not node_of(old):
            self._bound(new)
        else:
            self._changed(new)

    def on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry unschedulable pods that use a new or changed PersistentVolumeClaim."""
        if new is None:
            return
        for queued in self._queue.parked(hints.CLAIM_ADDED if old is None else hints.CLAIM_CHANGED):
            pod = queued.pod
            names = dict(claim_names(pod.name, pod.spec))
            if pod.namespace != new.namespace or new.name not in names:
                continue
            if not names[new.name] or not queued.rejected_by.isdisjoint(hints.EPHEMERAL_CLAIM_CHANGED):
                self._queue.unpark(queued)

    def on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry the unschedulable pods that a new or changed PersistentVolume may help."""
        if new is None:
            return
        is_moved = old is None or topologies_of(old) != topologies_of(new)
        self._unpark(hints.VOLUME_MOVED if is_moved else hints.VOLUME_CHANGED)

    def on_storage_class(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry unschedulable pods after a StorageClass was added or its ``allowedTopologies`` changed."""
        if new is None:
            return
        if old is None:
            is_delayed = new.document.get("volumeBindingMode") == "WaitForFirstConsumer"
            self._unpark(hints.DELAYED_CLASS_ADDED if is_delayed else hints.STORAGE_CLASS_ADDED)
        elif old.document.get("allowedTopologies") != new.document.get("allowedTopologies"):
            self._unpark(hints.TOPOLOGIES_CHANGED)

    def on_csi_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry unschedulable pods that may fit after a CSINode was added, or after its volume limits were raised."""
        if new is not None and old is None:
            self._unpark(hints.CSI_NODE_ADDED)
        elif new is not None and old is not None:
            before, after = limits_of(old), limits_of(new)
            if any(count > before.get(driver, 0) for driver, count in after.items()):
                self._unpark(hints.LIMITS_RAISED)

    def on_attachment(self, _: StoredObject | None, new: StoredObject | None) -> None:
        """Retry unschedulable pods after a VolumeAttachment was deleted: its node can attach another volume."""
        if new is not None:
            return
        for queued in self._queue.parked(hints.LIMITS_RAISED):
            if queued.pod.claims:
                self._queue.unpark(queued)

    def on_csi_driver(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry the unschedulable pods with inline volumes of a CSIDriver that no longer sets ``storageCapacity``."""
        if old is None or new is None or not reports_capacity(old) or reports_capacity(new):
            return
        for queued in self._queue.parked(hints.CAPACITY_CHANGED):
            volumes = queued.pod.spec.get("volumes") or ()
            if any((volume.get("csi") or {}).get("driver") == new.name for volume in volumes):
                self._queue.unpark(queued)

    def on_capacity(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry unschedulable pods after a CSIStorageCapacity was added or its limit was raised."""
        if new is not None and (old is None or is_raised(old, new)):
            self._unpark(hints.CAPACITY_CHANGED)

    def on_resource_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry the unschedulable pods that a new, changed or deallocated ResourceClaim may help."""
        if new is None:
            return
        is_deallocated = old is not None and allocation_of(old) is not None and allocation_of(new) is None
        is_unchanged = old is not None and old.document["status"] == new.document["status"]
        for queued in self._queue.parked(hints.DEVICES_CHANGED):
            pod = queued.pod
            uses = pod.namespace == new.namespace and new.name in known_claim_names(pod.stored)
            if (is_deallocated or (uses and not is_unchanged)) and not gate(self._listers, pod):
                self._queue.unpark(queued)

    def on_devices(self, _: StoredObject | None, new: StoredObject | None) -> None:
        """Retry the unschedulable pods that a new or changed ResourceSlice or DeviceClass may help."""
        if new is not None:
            self._unpark(hints.DEVICES_CHANGED)

    def on_device_class(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry the unschedulable pods that request an extended resource which a DeviceClass provides now."""
        if new is None or (old is not None and resource_of(old) == resource_of(new)):
            return
        for queued in self._queue.parked(hints.CLASS_RESOURCE_CHANGED):
            if is_requested(new, queued.pod.requests.resources.scalars):
                self._queue.unpark(queued)

    def _unpark(self, rejected_by: Iterable[str]) -> None:
        for queued in self._queue.parked(rejected_by):
            self._queue.unpark(queued)

    def release(self, pod: PodInfo) -> None:
        """Stop counting a deleted or unbound pod on its node, and retry unschedulable pods that may fit now."""
        counted = self._cluster.remove_pod(pod.uid)
        if counted is not None:
            self._wake(PodChange(Change.POD_DELETED, counted, None))

    def _pending(self, old: StoredObject | None, new: StoredObject) -> None:
        """Queue an unbound pod for scheduling, or update its entry in the queue."""
        spec = new.document["spec"]
        if spec.get("schedulerName") not in self._scheduler_names or spec.get("schedulingGates"):
            return
        pod = PodInfo(new)
        if self._cluster.is_assumed(pod.uid):
            if pod.terminating:
                self._queue.remove(pod.uid)
                self.release(pod)
            return
        queued = self._queue.get(pod.uid)
        if queued is not None:
            before, queued.pod = queued.pod, pod
            self._renominate(before, pod)
            changes = (PodChange(kind, before, pod) for kind in pod_changes(before, pod))
            if any(pod_change_helps(queued, change) for change in changes):
                self._queue.unpark(queued)
        elif not pod.terminating:
            self._cluster.nominations.set(pod, pod.nominated_node)
            self._queue.add(pod)

    def _renominate(self, before: PodInfo, pod: PodInfo) -> None:
        nominations = self._cluster.nominations
        if before.nominated_node == pod.nominated_node:
            # Keep the cached nomination: it may be newer than the one in this event.
            nominations.set(pod, nominations.node_of(pod.uid))
            return
        nominations.set(pod, pod.nominated_node)
        if before.nominated_node:
            # The node to which the pod was nominated before has room for other pods now. This pod itself, if it is
            # nominated to another node, is not retried: it waits until the pods that it preempts there are gone.
            excepted = pod.uid if pod.nominated_node else ""
            self._wake(PodChange(Change.POD_DELETED, before, None), before.priority, excepted)

    def _bound(self, new: StoredObject) -> None:
        """Count a bound pod on its node, and remove it from the scheduling queue."""
        uid = new.uid
        self._queue.remove(uid)
        self._cluster.nominations.remove(uid)
        counted = self._cluster.pod(uid)
        if counted is not None and counted.node_name == node_of(new) and counted.counts_like(new):
            self._cluster.confirm(new)
            pod = counted
        else:
            pod = PodInfo(new)
            self._cluster.put_pod(pod)
        self._wake(PodChange(Change.POD_ADDED, None, pod))

    def _changed(self, new: StoredObject) -> None:
        """Update the cached cluster after a change of a bound pod, and retry unschedulable pods that may fit now."""
        counted = self._cluster.pod(new.uid)
        if counted is None:
            self._bound(new)
            return
        if counted.counts_like(new):
            self._cluster.confirm(new)
            return
        pod = PodInfo(new)
        self._cluster.put_pod(pod)
        for kind in pod_changes(counted, pod):
            self._wake(PodChange(kind, counted, pod))

    def _on_pod_deleted(self, last: StoredObject) -> None:
        pod = PodInfo(last)
        self._queue.remove(pod.uid)
        self.release(pod)
        if self._cluster.nominations.remove(pod.uid):
            self._wake(PodChange(Change.POD_DELETED, pod, None), most_important=pod.priority)

    def _wake(self, change: PodChange, most_important: int | None = None, excepted: str = "") -> None:
        """Retry the unschedulable pods that may be schedulable after this change of an assigned or nominated pod.

        Pods are not retried if their priority is higher than `most_important`. The pod with the uid `excepted` is not
        retried either.
        """
        for queued in self._queue.parked(HELPED[change.kind]):
            if queued.pod.uid == excepted or (most_important is not None and queued.pod.priority > most_important):
                continue
            if pod_change_helps(queued, change):
                self._queue.unpark(queued)
