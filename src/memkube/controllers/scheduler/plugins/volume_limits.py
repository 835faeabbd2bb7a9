"""The scheduler plugin NodeVolumeLimits: limits on the CSI volumes of a node (``plugins/nodevolumelimits``).

Volumes of in-tree plugins that a CSI driver replaces are not counted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from memkube.controllers.framework.pods_by_claim import claim_names
from memkube.controllers.scheduler.framework import (
    ClusterListers,
    FilterPlugin,
    PreparedFilter,
    Rejection,
    SchedulingContext,
)
from memkube.controllers.scheduler.node_info import NodeInfo, PodChange
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.volumes.binding_rules import class_of
from memkube.controllers.volumes.plugins import csi_driver_of
from memkube.controllers.workloads.owners import controller_uid
from memkube.registry.objects.stored import StoredObject

NAME: Final = "NodeVolumeLimits"
_REJECTION: Final = Rejection(NAME, ("node(s) exceed max volume count",), resolvable=True)


class _Limits(PreparedFilter):
    def __init__(self, listers: ClusterListers, pod: PodInfo) -> None:
        self._listers = listers
        self._new = dict(_volumes_of(listers, pod))

    def rejects(self, node: NodeInfo) -> Rejection | None:
        limits = limits_of(self._listers.csi_nodes.get("", node.name))
        if not self._new or limits.keys().isdisjoint(self._new.values()):
            return None
        attached = {volume: driver for pod in node.pods.values() for volume, driver in _volumes_of(self._listers, pod)}
        new = Counter(driver for volume, driver in self._new.items() if volume not in attached)
        present = Counter((attached | dict(_attached_to(self._listers, node.name))).values())
        is_exceeded = any(present[driver] + count > limits[driver] for driver, count in new.items() if driver in limits)
        return _REJECTION if is_exceeded else None


def uses_claims(pod: PodInfo) -> bool:
    """True if a pod uses PersistentVolumeClaims, including those that are created for its ephemeral volumes."""
    return next(iter(claim_names(pod.name, pod.spec)), None) is not None


def pod_change_helps(_: PodInfo, change: PodChange) -> bool:
    """True if a pod with PersistentVolumeClaims was deleted."""
    return change.old is not None and uses_claims(change.old)


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    pod = context.pod
    return _Limits(context.listers, pod) if uses_claims(pod) else None


def limits_of(csi_node: StoredObject | None) -> Mapping[str, int]:
    """Return the maximum number of volumes on a node for each CSI driver. Drivers without a limit are left out."""
    drivers = () if csi_node is None else csi_node.document["spec"].get("drivers") or ()
    counts = {driver["name"]: (driver.get("allocatable") or {}).get("count") for driver in drivers}
    return {name: count for name, count in counts.items() if count is not None}


def _volumes_of(listers: ClusterListers, pod: PodInfo) -> Iterator[tuple[str, str]]:
    """Yield the unique name (driver and handle) and the driver of each CSI volume of a pod.

    `listers` has the cluster's claims and volumes.
    """
    for name, for_pod in claim_names(pod.name, pod.spec):
        claim = listers.known_claims.get((pod.namespace, name))
        if claim is None or (for_pod and controller_uid(claim) != pod.uid):
            continue
        driver, handle = _csi_volume(listers, claim)
        if driver and handle:
            yield f"{driver}/{handle}", driver


def _csi_volume(listers: ClusterListers, claim: StoredObject) -> tuple[str, str]:
    """Return the CSI driver and the handle of a claim's volume, which `listers` contains.

    If the claim is not bound, the driver comes from its StorageClass, and the handle contains the claim's name.
    """
    volume = listers.known_volumes.get(("", claim.document["spec"].get("volumeName", "")))
    if volume is not None:
        source = volume.document["spec"].get("csi") or {}
        return source.get("driver", ""), source.get("volumeHandle", "")
    storage_class = listers.storage_classes.get("", class_of(claim.document))
    provisioner = "" if storage_class is None else storage_class.document["provisioner"]
    return "" if csi_driver_of(provisioner) else provisioner, f"unbound {claim.namespace}/{claim.name}"


def _attached_to(listers: ClusterListers, node: str) -> Iterator[tuple[str, str]]:
    """Yield the unique name (driver and handle) and the driver of each CSI volume with a VolumeAttachment to `node`.

    `listers` has the cluster's volumes and VolumeAttachments.
    """
    for attachment in listers.attachments:
        spec = attachment.document["spec"]
        if spec.get("nodeName") != node or not spec.get("attacher"):
            continue
        volume = listers.known_volumes.get(("", (spec.get("source") or {}).get("persistentVolumeName") or ""))
        source = None if volume is None else volume.document["spec"].get("csi")
        if source is not None:
            yield f"{spec['attacher']}/{source['volumeHandle']}", spec["attacher"]


RULE: Final = FilterPlugin(NAME, _prepare)
