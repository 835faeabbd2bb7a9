"""The scheduler plugin VolumeRestrictions: volumes that only one pod can use (``plugins/volumerestrictions``)."""

from collections.abc import Sequence
from typing import Final, Self

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.controllers.scheduler.framework import (
    FilterPlugin,
    Impossible,
    PreparedFilter,
    Rejection,
    SchedulingContext,
)
from memkube.controllers.scheduler.node_info import NodeInfo, PodChange
from memkube.controllers.scheduler.pod_info import PodInfo

NAME: Final = "VolumeRestrictions"
_DISK: Final = Rejection(NAME, ("node(s) had no available disk",), resolvable=True)
_IN_USE_BY_ANOTHER: Final = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
_IN_USE: Final = Rejection(NAME, (_IN_USE_BY_ANOTHER,), resolvable=True)
_RESTRICTED: Final = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd")
_ONE_POD: Final = "ReadWriteOncePod"


class _Restrictions(PreparedFilter):
    def __init__(self, disks: Sequence[Document], namespace: str, exclusive: frozenset[str], users: int) -> None:
        self._disks = disks
        self._namespace = namespace
        self._exclusive = exclusive
        self._users = users
        """Number of uses of the pod's ReadWriteOncePod claims by pods that are assigned to a node."""

    def copy(self) -> Self:
        return type(self)(self._disks, self._namespace, self._exclusive, self._users)

    def pod_added(self, pod: PodInfo, node: NodeInfo) -> None:
        self._users += self._uses(pod)

    def pod_removed(self, pod: PodInfo, node: NodeInfo) -> None:
        self._users -= self._uses(pod)

    def rejects(self, node: NodeInfo) -> Rejection | None:
        if self._disks and any(_conflict(self._disks, pod) for pod in node.pods.values()):
            return _DISK
        return _IN_USE if self._users > 0 else None

    def _uses(self, pod: PodInfo) -> int:
        # Unlike kube-scheduler, count only pods of the same namespace: an equally named claim elsewhere is another
        # claim.
        return sum(name in self._exclusive for name in pod.claims) if pod.namespace == self._namespace else 0


def pod_change_helps(pod: PodInfo, change: PodChange) -> bool:
    """True if the deletion of a pod may let the pod `pod` use a volume."""
    gone = change.old
    if gone is None or pod.namespace != gone.namespace:
        return False
    return not set(pod.claims).isdisjoint(gone.claims) or _conflict(_restricted(pod.spec), gone)


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    pod, listers, cluster = context.pod, context.listers, context.cluster
    if not pod.spec.get("volumes"):
        return None
    exclusive = set()
    for name in pod.claims:
        claim = listers.known_claims.get((pod.namespace, name))
        if claim is None:
            raise Impossible(NAME, f"persistentvolumeclaim {quoted(name)} not found")
        if _ONE_POD in (claim.document["spec"].get("accessModes") or ()):
            exclusive.add(name)
    users = sum((pod.namespace, name) in cluster.claims for name in exclusive)
    disks = _restricted(pod.spec)
    return _Restrictions(disks, pod.namespace, frozenset(exclusive), users) if disks or users else None


def _restricted(spec: Document) -> list[Document]:
    volumes = spec.get("volumes") or ()
    return [volume for volume in volumes if any(volume.get(source) is not None for source in _RESTRICTED)]


def _conflict(disks: Sequence[Document], pod: PodInfo) -> bool:
    """True if `pod` uses one of `disks`, the volumes of another pod, which the two pods must not share.

    Source: ``isVolumeConflict``.
    """
    return bool(disks) and any(_is_same(mine, theirs) for theirs in _restricted(pod.spec) for mine in disks)


def _is_same(mine: Document, theirs: Document) -> bool:
    for source in _RESTRICTED:
        one, other = mine.get(source), theirs.get(source)
        if one is not None and other is not None and _collide(source, one, other):
            return True
    return False


def _collide(source: str, one: Document, other: Document) -> bool:
    are_read_only = bool(one.get("readOnly") and other.get("readOnly"))
    if source == "awsElasticBlockStore":
        return bool(one["volumeID"] == other["volumeID"])
    if are_read_only:
        return False
    if source == "gcePersistentDisk":
        return bool(one["pdName"] == other["pdName"])
    if source == "iscsi":
        return bool(one["iqn"] == other["iqn"])
    is_same_image = (one.get("pool"), one["image"]) == (other.get("pool"), other["image"])
    return is_same_image and not set(one["monitors"]).isdisjoint(other["monitors"])


RULE: Final = FilterPlugin(NAME, _prepare)
