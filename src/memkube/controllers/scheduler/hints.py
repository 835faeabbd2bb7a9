"""Decides which changes may make an unschedulable pod schedulable (the plugins' ``EventsToRegister``)."""

from collections.abc import Callable, Mapping
from typing import Final

from memkube.controllers.scheduler.filtering import NO_NODES
from memkube.controllers.scheduler.framework import ClusterListers
from memkube.controllers.scheduler.node_info import Change, NodeChange, PodChange
from memkube.controllers.scheduler.plugins import (
    declared_features,
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

_AFFINITY: Final = inter_pod_affinity.NAME
_DEVICES: Final = dynamic_resources.NAME
_FIT: Final = resources.NAME
_SPREAD: Final = topology_spread.NAME

_FOR_NEW_NODES: Final = frozenset(
    {
        node_affinity.NAME,
        node_contents.HOST_PORTS,
        volume_binding.NAME,
        volume_restrictions.NAME,
        volume_zone.NAME,
        declared_features.NAME,
        _DEVICES,
        _FIT,
        _AFFINITY,
    }
)
"""Plugins that may stop rejecting a pod when a node is added, but that do not look at taints.

As in kube-scheduler (``buildQueueingHintMap``), pods that they rejected are retried after every change of taints too.
"""
HELPED: Final[Mapping[Change, frozenset[str]]] = {
    Change.NODE_ADDED: _FOR_NEW_NODES | {NO_NODES, taints.UNSCHEDULABLE, taints.NAME, _SPREAD},
    Change.NODE_ALLOCATABLE: frozenset({_FIT, _DEVICES}),
    Change.NODE_LABELS: frozenset(
        {node_affinity.NAME, volume_binding.NAME, volume_zone.NAME, _SPREAD, _AFFINITY, _DEVICES}
    ),
    Change.NODE_TAINTS: _FOR_NEW_NODES | {taints.UNSCHEDULABLE, taints.NAME, _SPREAD},
    Change.NODE_FEATURES: frozenset({declared_features.NAME}),
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
EPHEMERAL_CLAIM_CHANGED: Final = frozenset({volume_binding.NAME, volume_limits.NAME})
"""Plugins of CLAIM_ADDED and CLAIM_CHANGED that also consider the claims of ephemeral volumes."""
VOLUME_CHANGED: Final = frozenset({volume_binding.NAME})
"""Filter plugins that may stop rejecting a pod when a PersistentVolume changes."""
VOLUME_MOVED: Final = frozenset({volume_binding.NAME, volume_zone.NAME})
"""Filter plugins that may stop rejecting a pod when a PersistentVolume is created, or its zone or region changes."""
STORAGE_CLASS_ADDED: Final = frozenset({volume_binding.NAME})
"""Filter plugins that may stop rejecting a pod when a StorageClass is created."""
DELAYED_CLASS_ADDED: Final = frozenset({volume_binding.NAME, volume_zone.NAME})
"""Like STORAGE_CLASS_ADDED, for a StorageClass with the binding mode WaitForFirstConsumer."""
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


def node_change_helps(queued: QueuedPod, kind: Change, change: NodeChange, listers: ClusterListers) -> bool:
    """True if a change of a node may make an unschedulable pod schedulable. `kind` is one kind of the change."""
    pod = queued.pod
    if kind is Change.NODE_TAINTS and not queued.rejected_by.isdisjoint(_FOR_NEW_NODES):
        return True
    return any(_node_helps(name, pod, change, listers) for name in queued.rejected_by & HELPED[kind])


def _node_helps(name: str, pod: PodInfo, change: NodeChange, listers: ClusterListers) -> bool:
    if name == _FIT:
        return resources.node_change_helps(pod, change, listers.extended_resources)
    hint = _NODE_HINTS.get(name)
    return hint is None or hint(pod, change)


_NODE_HINTS: Final[Mapping[str, Callable[[PodInfo, NodeChange], bool]]] = {
    taints.UNSCHEDULABLE: taints.uncordoning_helps,
    taints.NAME: taints.node_change_helps,
    node_affinity.NAME: node_affinity.node_change_helps,
    _SPREAD: topology_spread.node_change_helps,
    _AFFINITY: inter_pod_affinity.node_change_helps,
}
"""Functions that return True if a change of a node may help a pod, by the plugin that rejected the pod.

For a plugin without a function, every change in HELPED may help.
"""


def pod_change_helps(queued: QueuedPod, change: PodChange) -> bool:
    """True if the change of a pod may make an unschedulable pod schedulable.

    The change is that of the unschedulable pod itself, or of a pod that is assigned or nominated to a node.
    """
    return any(_POD_HINTS[name](queued.pod, change) for name in queued.rejected_by & HELPED[change.kind])


def _changes_itself(pod: PodInfo, change: PodChange) -> bool:
    return change.new is not None and change.new.uid == pod.uid


_POD_HINTS: Final[Mapping[str, Callable[[PodInfo, PodChange], bool]]] = {
    taints.UNSCHEDULABLE: taints.tolerating_cordons_helps,
    taints.NAME: _changes_itself,
    node_contents.HOST_PORTS: node_contents.pod_change_helps,
    volume_restrictions.NAME: volume_restrictions.pod_change_helps,
    volume_limits.NAME: volume_limits.pod_change_helps,
    _FIT: resources.pod_change_helps,
    _SPREAD: topology_spread.pod_change_helps,
    _AFFINITY: inter_pod_affinity.pod_change_helps,
    _DEVICES: _changes_itself,
}
"""Functions that return True if the change of a pod may help another pod, by the plugin that rejected the latter."""
