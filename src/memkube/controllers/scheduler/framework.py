"""Interfaces of the scheduler's filter and score plugins, and their inputs (``pkg/scheduler/framework``)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.known_objects import KnownObjects
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.resource_claims.pod_claims import CLAIMS as RESOURCE_CLAIMS
from memkube.controllers.scheduler.cluster import Cluster
from memkube.controllers.scheduler.devices.allocated import AllocatedDevices
from memkube.controllers.scheduler.devices.classes import ExtendedResources
from memkube.controllers.scheduler.devices.pools import SliceIndex
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import Labels
from memkube.controllers.scheduler.volumes_by_class import VolumesByClass
from memkube.controllers.volumes.binding_rules import CLAIMS, STORAGE_CLASSES, VOLUMES
from memkube.controllers.workloads.owners import OwnedObjects

if TYPE_CHECKING:
    # Imported for types only: the modules that search for devices are imported with the first pod that uses devices.
    from memkube.controllers.scheduler.devices.allocator import DeviceServices

_NO_LABELS: Final[Mapping[str, str]] = {}


class ClusterListers:
    """Listers of the objects that scheduler plugins use besides pods and nodes, such as Services and volumes."""

    def __init__(self, runtime: Runtime) -> None:
        of = runtime.informers.of
        self.clock = runtime.clock
        self._new_uid = runtime.registry.new_uid
        self.nodes = of("", "v1", "nodes")
        self.namespaces = of("", "v1", "namespaces")
        self.services = of("", "v1", "services")
        self.budgets = of("policy", "v1", "poddisruptionbudgets")
        self.claims = of(*CLAIMS)
        self.volumes = of(*VOLUMES)
        self.known_claims = KnownObjects(self.claims)
        """PersistentVolumeClaims from the informer, with the scheduler's own writes."""
        self.known_volumes = KnownObjects(self.volumes)
        """PersistentVolumes from the informer, with the scheduler's own writes."""
        self.volumes_by_class = VolumesByClass()
        self.known_volumes.subscribe(self.volumes_by_class.on_volume)
        self.storage_classes = of(*STORAGE_CLASSES)
        self.csi_drivers = of("storage.k8s.io", "v1", "csidrivers")
        self.csi_nodes = of("storage.k8s.io", "v1", "csinodes")
        self.attachments = of("storage.k8s.io", "v1", "volumeattachments")
        self.capacities = of("storage.k8s.io", "v1", "csistoragecapacities")
        self.resource_claims = of(*RESOURCE_CLAIMS)
        self.owned_resource_claims = OwnedObjects(self.resource_claims)
        self.known_resource_claims = KnownObjects(self.resource_claims)
        """ResourceClaims from the informer, with the scheduler's own writes."""
        self.allocated_devices = AllocatedDevices()
        self.known_resource_claims.subscribe(self.allocated_devices.on_claim)
        self.device_classes = of("resource.k8s.io", "v1", "deviceclasses")
        self.extended_resources = ExtendedResources()
        self.device_classes.subscribe(self.extended_resources.on_class)
        self.slices = of("resource.k8s.io", "v1", "resourceslices")
        self._slice_index = SliceIndex()
        self.slices.subscribe(self._slice_index.on_slice)
        self._owners: Mapping[tuple[str, str], Informer] = {
            ("v1", "ReplicationController"): of("", "v1", "replicationcontrollers"),
            ("apps/v1", "ReplicaSet"): of("apps", "v1", "replicasets"),
            ("apps/v1", "StatefulSet"): of("apps", "v1", "statefulsets"),
        }

    @cached_property
    def devices(self) -> "DeviceServices":
        """Devices, DeviceClasses and allocations of the cluster, for searches for devices."""
        from memkube.controllers.scheduler.devices import allocator, selecting  # noqa: PLC0415  see the import above

        selectors = selecting.DeviceSelectors()
        classes = self.device_classes
        return allocator.DeviceServices(self._slice_index, self.allocated_devices, selectors, classes, self._new_uid)

    def namespace_labels(self, name: str) -> Labels:
        """Return the labels of the namespace with this name; empty if it does not exist."""
        namespace = self.namespaces.get("", name)
        return _NO_LABELS if namespace is None else namespace.labels

    def services_of(self, namespace: str) -> Iterator[Document]:
        return (service.document for service in self.services.in_namespace(namespace).values())

    def controller_of(self, pod: Document) -> Document | None:
        """Return the workload that controls a pod, such as its ReplicaSet, or None."""
        metadata = pod["metadata"]
        references = metadata.get("ownerReferences") or ()
        owner = next((reference for reference in references if reference.get("controller")), None)
        informer = owner and self._owners.get((owner["apiVersion"], owner["kind"]))
        if not owner or informer is None:
            return None
        stored = informer.get(metadata["namespace"], owner["name"])
        return None if stored is None else stored.document


class Rejection(NamedTuple):
    """Reasons for which one filter plugin rejects a node for a pod."""

    rule: str
    reasons: tuple[str, ...]
    resolvable: bool
    """True if the pod may fit on the node after the eviction of other pods."""


class Impossible(Exception):
    """Raised if a pod can fit on no node, for a reason that does not depend on other pods."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message


class PluginError(Exception):
    """Raised if a plugin cannot decide whether a pod fits on a node, because an object is invalid or missing.

    The text is kube-scheduler's message.
    """


class SchedulingContext(NamedTuple):
    """Inputs of the scheduler plugins for one pod: the pod, cached nodes and pods, other objects, and the profile."""

    pod: PodInfo
    cluster: Cluster
    listers: ClusterListers
    profile: "Profile"


class PreparedFilter:
    """A filter plugin of the scheduler, prepared for one pod.

    Some plugins count other pods. Pods can be added to or removed from these counts, to simulate what would happen.
    """

    only_nodes: frozenset[str] | None = None
    """Names of the only nodes on which the pod can fit; None if all nodes must be examined."""

    def rejects(self, node: NodeInfo) -> Rejection | None:
        """Return why the pod does not fit on a node, or None if it fits.

        Raises PluginError if an object that the plugin needs is invalid or missing.
        """
        raise NotImplementedError

    def pod_added(self, pod: PodInfo, node: NodeInfo) -> None:
        """Count a pod on a node, to simulate that it runs there."""

    def pod_removed(self, pod: PodInfo, node: NodeInfo) -> None:
        """Stop counting a pod on a node, to simulate its eviction."""

    def copy(self) -> Self:
        """Return a copy of the prepared filter, to simulate the addition or removal of pods.

        The counts of the original do not change.
        """
        return self


class FilterPlugin(NamedTuple):
    """A filter plugin of the scheduler.

    It has the name of the plugin in kube-scheduler. Users select plugins by this name in the scheduler's configuration,
    and find it in explanations of decisions.
    """

    name: str
    prepare: Callable[[SchedulingContext], PreparedFilter | None]
    """Function that prepares the plugin for a pod.

    It returns None if all nodes pass, and raises Impossible if no node can pass.
    """


class ScorePlugin(NamedTuple):
    """A score plugin of the scheduler. Its name is that of kube-scheduler's plugin."""

    name: str
    weight: int
    """Factor of the plugin's scores in the total score of a node."""
    score: Callable[[SchedulingContext, Sequence[NodeInfo]], Sequence[int] | None]
    """Function that returns a score from 0 to 100 for each node, or None if it rates all nodes equal.

    It raises PluginError if an object that the plugin needs is invalid or missing.
    """


class Profile(NamedTuple):
    """Plugins for the pods whose ``spec.schedulerName`` is the name of the profile (KubeSchedulerProfile)."""

    name: str
    rules: Sequence[FilterPlugin]
    """Filter plugins in the order in which they run. An Event names only the first one that rejects a node."""
    scores: Sequence[ScorePlugin]
    preempts: bool = True
    """True if a pod that fits on no node may evict pods of lower priority (plugin DefaultPreemption)."""
    releases_claims: bool = True
    """True if ResourceClaims of a pod that fits on no node may be deallocated (plugin DynamicResources)."""
