"""The scheduler plugin VolumeZone: zones and regions in the labels of volumes (``plugins/volumezone``)."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.shown_values import quoted
from memkube.controllers.scheduler.framework import (
    FilterPlugin,
    Impossible,
    PreparedFilter,
    Rejection,
    SchedulingContext,
)
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.volumes.binding_rules import class_of
from memkube.registry.objects.stored import StoredObject

NAME: Final = "VolumeZone"
_REJECTION: Final = Rejection(NAME, ("node(s) had no available volume zone",), resolvable=False)
_STABLE: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}
"""Successors of the deprecated zone and region labels, by the deprecated label."""
_LABELS: Final = (*_STABLE, *_STABLE.values())
_SEPARATOR: Final = "__"


class _Topology(NamedTuple):
    """A zone or region label of a volume with its values, one of which a node's label must have."""

    label: str
    values: frozenset[str]


class _Zones(PreparedFilter):
    def __init__(self, topologies: Sequence[_Topology]) -> None:
        self._topologies = topologies

    def rejects(self, node: NodeInfo) -> Rejection | None:
        labels = node.facts.labels
        if not any(label in labels for label in _LABELS):
            return None
        for label, values in self._topologies:
            value = labels.get(label, labels.get(_STABLE.get(label, label)))
            if value not in values:
                return _REJECTION
        return None


def _prepare(context: SchedulingContext) -> PreparedFilter | None:
    topologies = [each for volume in _volumes(context) for each in topologies_of(volume)]
    return _Zones(topologies) if topologies else None


def _volumes(context: SchedulingContext) -> Iterator[StoredObject]:
    """Yield the volumes that the PersistentVolumeClaims of the pod in `context` are bound to.

    Unbound claims with delayed binding are left out. Raises Impossible if a claim or volume is missing, or if a claim
    without delayed binding is not bound.
    """
    pod, listers = context.pod, context.listers
    for name in pod.claims:
        claim = listers.known_claims.get((pod.namespace, name))
        if claim is None:
            raise Impossible(NAME, f"persistentvolumeclaim {quoted(name)} not found")
        volume_name = claim.document["spec"].get("volumeName", "")
        if not volume_name:
            _check_class(context, claim)
            continue
        volume = listers.known_volumes.get(("", volume_name))
        if volume is None:
            raise Impossible(NAME, f"persistentvolume {quoted(volume_name)} not found")
        yield volume


def _check_class(context: SchedulingContext, claim: StoredObject) -> None:
    """Raise Impossible unless the StorageClass of an unbound claim has the mode WaitForFirstConsumer.

    `context` has the cluster's StorageClasses.
    """
    name = class_of(claim.document)
    if not name:
        raise Impossible(NAME, "PersistentVolumeClaim had no pv name and storageClass name")
    found = context.listers.storage_classes.get("", name)
    if found is None:
        raise Impossible(NAME, f"storageclass.storage.k8s.io {quoted(name)} not found")
    if found.document.get("volumeBindingMode") != "WaitForFirstConsumer":
        raise Impossible(NAME, "PersistentVolume had no name")


def topologies_of(volume: StoredObject) -> list[_Topology]:
    """Return the zones and regions in the labels of a PersistentVolume."""
    return list(_topologies(volume))


def _topologies(volume: StoredObject) -> Iterator[_Topology]:
    for label in _LABELS:
        value = volume.labels.get(label)
        if value is not None:
            values = [each.strip() for each in value.split(_SEPARATOR)]
            if all(values):
                yield _Topology(label, frozenset(values))


RULE: Final = FilterPlugin(NAME, _prepare)
