"""Decides which changes may make an unschedulable pod schedulable (the plugins' ``EventsToRegister``)."""

from collections.abc import Mapping
from typing import Final

from memkube.controllers.scheduler.filtering import NO_NODES
from memkube.controllers.scheduler.framework import ClusterListers
from memkube.controllers.scheduler.node_info import Change, NodeInfo
from memkube.controllers.scheduler.plugins import (
    dynamic_resources,
    inter_pod_affinity,
    node_affinity,
    node_contents,
    resources,
    taints,
    topology_spread,
    volume_binding,
    volume_limits,
    volume_restrictions,
    volume_zone,
)
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_queue import QueuedPod
from memkube.controllers.scheduler.pod_selector import AffinityTerm

_AFFINITY: Final = inter_pod_affinity.NAME
_DEVICES: Final = dynamic_resources.NAME
_FIT: Final = resources.NAME
_SPREAD: Final = topology_spread.NAME

HELPED: Final[Mapping[Change, frozenset[str]]] = {
    Change.NODE_ADDED: frozenset(
        {
            NO_NODES,
            taints.UNSCHEDULABLE,
            taints.NAME,
            node_affinity.NAME,
            node_contents.HOST_PORTS,
            volume_binding.NAME,
            volume_restrictions.NAME,
            volume_zone.NAME,
            _DEVICES,
            _FIT,
            _SPREAD,
            _AFFINITY,
        }
    ),
    Change.NODE_ALLOCATABLE: frozenset({_FIT, _DEVICES}),
    Change.NODE_LABELS: frozenset(
        {node_affinity.NAME, volume_binding.NAME, volume_zone.NAME, _SPREAD, _AFFINITY, _DEVICES}
    ),
    Change.NODE_TAINTS: frozenset({taints.UNSCHEDULABLE, taints.NAME, _SPREAD}),
    Change.NODE_DELETED: frozenset({_SPREAD}),
    Change.POD_ADDED: frozenset({_SPREAD, _AFFINITY}),
    Change.POD_LABELS: frozenset({_SPREAD, _AFFINITY}),
    Change.POD_SCALED_DOWN: frozenset({_FIT}),
    Change.POD_TOLERATIONS: frozenset({taints.UNSCHEDULABLE, taints.NAME, _SPREAD}),
    Change.POD_CLAIMS: frozenset({_DEVICES}),
    Change.POD_DELETED: frozenset(
        {node_contents.HOST_PORTS, volume_restrictions.NAME, volume_limits.NAME, _FIT, _SPREAD, _AFFINITY}
    ),
}
"""Names of the filter plugins that may stop rejecting a pod after each kind of change."""
CLAIM_ADDED: Final = frozenset({volume_binding.NAME, volume_restrictions.NAME, volume_limits.NAME, volume_zone.NAME})
"""Filter plugins that may stop rejecting a pod when one of its PersistentVolumeClaims is created."""
CLAIM_CHANGED: Final = frozenset({volume_binding.NAME, volume_zone.NAME})
"""Filter plugins that may stop rejecting a pod when one of its PersistentVolumeClaims changes."""
VOLUME_CHANGED: Final = frozenset({volume_binding.NAME, volume_zone.NAME})
"""Filter plugins that may stop rejecting a pod when a PersistentVolume is created or changed."""
STORAGE_CLASS_ADDED: Final = frozenset({volume_binding.NAME, volume_zone.NAME})
"""Filter plugins that may stop rejecting a pod when a StorageClass is created."""
TOPOLOGIES_CHANGED: Final = frozenset({volume_binding.NAME})
"""Filter plugins that may stop rejecting a pod when the ``allowedTopologies`` of a StorageClass change."""
CSI_NODE_ADDED: Final = frozenset({volume_limits.NAME, volume_binding.NAME})
"""Filter plugins that may stop rejecting a pod when a CSINode is created."""
LIMITS_RAISED: Final = frozenset({volume_limits.NAME})
"""Filter plugins that may stop rejecting a pod when the volume limits of a node are raised."""
CAPACITY_CHANGED: Final = frozenset({volume_binding.NAME})
"""Filter plugins that may stop rejecting a pod when a CSIDriver or CSIStorageCapacity changes."""

DEVICES_CHANGED: Final = frozenset({dynamic_resources.NAME})
"""Filter plugins that may stop rejecting a pod when a ResourceClaim, ResourceSlice or DeviceClass changes."""
CLASS_RESOURCE_CHANGED: Final = frozenset({resources.NAME})
"""Filter plugins that may stop rejecting a pod when a DeviceClass provides another extended resource."""


def own_change_helps(queued: QueuedPod, change: Change) -> bool:
    """True if a change of an unschedulable pod may make the pod itself schedulable."""
    return not queued.rejected_by.isdisjoint(HELPED[change])


def node_change_helps(queued: QueuedPod, change: Change, node: NodeInfo | None, surroundings: ClusterListers) -> bool:
    """True if this change of a node may make the pod `queued` schedulable.

    `node` is None if the node was deleted. `surroundings` lists other objects that scheduling depends on.
    """
    rules = queued.rejected_by & HELPED[change]
    if change is Change.NODE_ALLOCATABLE and node is not None and rules == {_FIT}:
        return resources.fits(queued.pod.requests.resources, node, surroundings.extended_resources)
    return bool(rules)


class PodHint:
    """Decides which unschedulable pods a change of an assigned pod may help."""

    def __init__(self, change: Change, pod: PodInfo, node: NodeInfo | None, surroundings: ClusterListers) -> None:
        self._change = change
        self._rules = HELPED[change]
        self._pod = pod
        self._node = node
        self._surroundings = surroundings

    def helps(self, queued: QueuedPod) -> bool:
        """True if the change of the assigned pod may make the queued pod schedulable."""
        return any(self._helps_with(rule, queued.pod) for rule in queued.rejected_by & self._rules)

    def _helps_with(self, rule: str, pod: PodInfo) -> bool:
        if rule == _FIT:
            return self._node is not None and resources.fits(
                pod.requests.resources, self._node, self._surroundings.extended_resources
            )
        if rule == _SPREAD:
            return pod.namespace == self._pod.namespace
        if rule == _AFFINITY:
            return self._helps_with_affinity(pod)
        if rule == volume_restrictions.NAME:
            return volume_restrictions.frees_volume(pod, self._pod)
        if rule == volume_limits.NAME:
            return volume_limits.uses_claims(self._pod)
        return bool(self._pod.host_ports)

    def _helps_with_affinity(self, pod: PodInfo) -> bool:
        if self._change is Change.POD_ADDED:
            affinity = pod.terms.affinity
            return bool(affinity) and all(self._is_about(term, self._pod) for term in affinity)
        if self._change is Change.POD_DELETED:
            return any(self._is_about(term, self._pod) for term in pod.terms.anti_affinity) or any(
                self._is_about(term, pod) for term in self._pod.terms.anti_affinity
            )
        return True

    def _is_about(self, term: AffinityTerm, pod: PodInfo) -> bool:
        return term.matches(pod.namespace, self._surroundings.namespace_labels(pod.namespace), pod.labels)
