"""The scheduler plugin VolumeBinding: nodes that can access a pod's volumes (``plugins/volumebinding``)."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

from memkube.apimachinery import labels as label_selectors
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted
from memkube.controllers.framework.pods_by_claim import claim_names
from memkube.controllers.scheduler.framework import (
    ClusterListers,
    FilterPlugin,
    Impossible,
    PreparedFilter,
    Rejection,
    SchedulingContext,
)
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.scheduler.pod_selector import Labels
from memkube.controllers.volumes.binding_rules import (
    NO_PROVISIONER,
    SELECTED_NODE,
    annotations_of,
    capacity_of,
    class_of,
    delays_binding,
    is_for_claim,
    is_fully_bound,
    is_like_claim,
    modes_of,
    requested,
    selects,
)
from memkube.controllers.workloads.owners import controller_uid
from memkube.registry.objects.stored import StoredObject

NAME: Final = "VolumeBinding"
_NO_VOLUME: Final = "node(s) didn't find available persistent volumes to bind"
_ELSEWHERE: Final = "node(s) didn't match PersistentVolume's node affinity"
_NO_SPACE: Final = "node(s) did not have enough free storage"
_VOLUME_GONE: Final = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


class StaticBinding(NamedTuple):
    """An unbound PersistentVolumeClaim of a pod, and the existing volume that it will be bound to."""

    volume: StoredObject
    claim: StoredObject


class PodVolumes(NamedTuple):
    """Volumes to bind or to provision for the unbound PersistentVolumeClaims of a pod on one particular node."""

    bindings: Sequence[StaticBinding]
    provisions: Sequence[StoredObject]
    """Claims for which new volumes must be provisioned that the node can access."""


class _Candidate(NamedTuple):
    """A volume that a PersistentVolumeClaim can be bound to, if the node can access the volume."""

    is_reserved: bool
    size: int
    name: str
    volume: StoredObject


class _BindConflict(Exception):
    """Raised if an unbound claim of a pod can get no volume on a node.

    The text is the reason why the scheduler rejects the node.
    """


class VolumeFilter(PreparedFilter):
    """Checks whether a node can access the volumes of a pod, and whether its unbound claims can be bound there.

    Source: ``FindPodVolumes``.
    """

    def __init__(self, listers: ClusterListers, bound: Sequence[StoredObject], unbound: Sequence[StoredObject]) -> None:
        self._listers = listers
        self._bound = [listers.known_volumes.get(("", _volume_name(claim))) for claim in bound]
        """PersistentVolumes of the pod's bound claims; None for a volume that does not exist."""
        # As in kube-scheduler, claims with smaller requests choose their volumes first.
        self._unbound = sorted(unbound, key=lambda claim: requested(claim.document).nano)
        self._candidates = {claim.uid: _candidates(listers, claim.document) for claim in self._unbound}

    def copy(self) -> Self:
        return self

    def rejects(self, node: NodeInfo) -> Rejection | None:
        reasons = [reason for reason in (self._node_conflict(node), self._bind_conflict(node)) if reason]
        # As in kube-scheduler, the reason for a volume that does not exist comes after the other reasons.
        reasons.sort(key=lambda reason: reason == _VOLUME_GONE)
        return Rejection(NAME, tuple(reasons), resolvable=False) if reasons else None

    def volumes_on(self, node: NodeInfo) -> PodVolumes | None:
        """Return the volumes to bind or provision for the pod's unbound claims, so that the pod can run on `node`.

        Returns None if all claims are bound. Raises _BindConflict if the pod does not fit on the node.
        """
        return self._find(node) if self._unbound else None

    def _node_conflict(self, node: NodeInfo) -> str:
        for volume in self._bound:
            if volume is None:
                return _VOLUME_GONE
            if not reaches(self._listers, volume, node.facts.labels):
                return _ELSEWHERE
        return ""

    def _bind_conflict(self, node: NodeInfo) -> str:
        try:
            self._find(node)
        except _BindConflict as error:
            return str(error)
        return ""

    def _find(self, node: NodeInfo) -> PodVolumes:
        """Choose volumes for the pod's unbound claims on a node. Raises _BindConflict if a claim gets none."""
        bindings: list[StaticBinding] = []
        provisions: list[StoredObject] = []
        for claim in self._unbound:
            selected = annotations_of(claim.document).get(SELECTED_NODE)
            if selected not in (None, node.name):
                raise _BindConflict(_NO_VOLUME)
        chosen: set[str] = set()
        for claim in self._unbound:
            is_selected = SELECTED_NODE in annotations_of(claim.document)
            volume = None if is_selected else self._match(claim, node, chosen)
            if volume is None:
                provisions.append(claim)
            else:
                chosen.add(volume.name)
                bindings.append(StaticBinding(volume, claim))
        for claim in provisions:
            self._check_provision(claim.document, node)
        return PodVolumes(bindings, provisions)

    def _match(self, claim: StoredObject, node: NodeInfo, chosen: set[str]) -> StoredObject | None:
        for candidate in self._candidates[claim.uid]:
            if candidate.name in chosen:
                continue
            is_near = reaches(self._listers, candidate.volume, node.facts.labels)
            if candidate.is_reserved or is_near:
                return candidate.volume if is_near else None
        return None

    def _check_provision(self, claim: Document, node: NodeInfo) -> None:
        """Raise _BindConflict unless a volume to which the node has access can be provisioned for the claim."""
        stored = self._listers.storage_classes.get("", class_of(claim))
        storage_class = {} if stored is None else stored.document
        if storage_class.get("provisioner", NO_PROVISIONER) == NO_PROVISIONER:
            raise _BindConflict(_NO_VOLUME)
        if not _is_in_topology(storage_class.get("allowedTopologies") or (), node.facts.labels):
            raise _BindConflict(_NO_VOLUME)
        if not self._has_capacity(claim, storage_class, node):
            raise _BindConflict(_NO_SPACE)

    def _has_capacity(self, claim: Document, storage_class: Document, node: NodeInfo) -> bool:
        driver = self._listers.csi_drivers.get("", storage_class["provisioner"])
        if driver is None or not reports_capacity(driver):
            return True
        name, size = storage_class["metadata"]["name"], requested(claim).value
        capacities = (stored.document for stored in self._listers.capacities)
        return any(
            each["storageClassName"] == name and _is_large_enough(each, size) and _is_accessible(each, node)
            for each in capacities
        )


def reaches(listers: ClusterListers, volume: StoredObject, node_labels: Labels) -> bool:
    """True if nodes with the labels `node_labels` can access the PersistentVolume `volume`.

    `listers` has the parsed node affinity of all volumes. As in kube-scheduler, a ``matchFields`` in it is compared
    with an empty node name.
    """
    terms = listers.volumes_by_class.terms_of(volume)
    return terms is None or any(term.matches("", node_labels) for term in terms)


def prepare(context: SchedulingContext) -> VolumeFilter | None:
    """Return the filter for the pod in `context`, or None if the pod uses no PersistentVolumeClaims.

    Raises Impossible if the pod can fit on no node, for example because a claim is missing.
    """
    pod, listers = context.pod, context.listers
    claims = [_usable_claim(listers, pod, name, for_pod=for_pod) for name, for_pod in claim_names(pod.name, pod.spec)]
    if not claims:
        return None
    unbound = [claim for claim in claims if not is_fully_bound(claim.document)]
    classes = listers.storage_classes
    if any(_volume_name(claim) or not delays_binding(claim.document, classes) for claim in unbound):
        raise Impossible(NAME, "pod has unbound immediate PersistentVolumeClaims")
    return VolumeFilter(listers, [claim for claim in claims if is_fully_bound(claim.document)], unbound)


def _usable_claim(listers: ClusterListers, pod: PodInfo, name: str, *, for_pod: bool) -> StoredObject:
    """Return the PersistentVolumeClaim `name` of a pod, from the claims in `listers`.

    `for_pod` is True if the claim is created for an ephemeral volume of the pod. Raises Impossible if the claim is
    missing, lost or terminating, or was not created for this pod.
    """
    stored = listers.known_claims.get((pod.namespace, name))
    if stored is None:
        why = f"persistentvolumeclaim {quoted(name)} not found"
        if for_pod:
            why = f"waiting for ephemeral volume controller to create the persistentvolumeclaim {quoted(name)}"
        raise Impossible(NAME, why)
    claim = stored.document
    if claim["status"].get("phase") == "Lost":
        volume = quoted(_volume_name(stored))
        raise Impossible(NAME, f"persistentvolumeclaim {quoted(name)} bound to non-existent persistentvolume {volume}")
    if "deletionTimestamp" in claim["metadata"]:
        raise Impossible(NAME, f"persistentvolumeclaim {quoted(name)} is being deleted")
    if for_pod and controller_uid(stored) != pod.uid:
        namespace = pod.namespace
        raise Impossible(
            NAME, f"PVC {namespace}/{name} was not created for pod {namespace}/{pod.name} (pod is not owner)"
        )
    return stored


def _volume_name(claim: StoredObject) -> str:
    name: str = claim.document["spec"].get("volumeName", "")
    return name


def _candidates(listers: ClusterListers, claim: Document) -> list[_Candidate]:
    """Return the PersistentVolumes in `listers` that a claim can be bound to (``FindMatchingVolume``).

    Volumes that are reserved for the claim come first, then smaller before larger volumes.
    """
    is_selected, least = selects(claim), requested(claim).nano
    found = []
    for volume in listers.volumes_by_class.of(class_of(claim)):
        document = volume.document
        is_reserved = is_for_claim(document, claim)
        if not is_reserved and not (_is_free(document, claim) and is_selected(volume.labels)):
            continue
        size = capacity_of(document).nano
        if size >= least and is_like_claim(document, claim):
            found.append(_Candidate(is_reserved, size, volume.name, volume))
    return sorted(found, key=lambda each: (not each.is_reserved, each.size, each.name))


def _is_free(volume: Document, claim: Document) -> bool:
    if volume["spec"].get("claimRef") is not None or volume["status"].get("phase") != "Available":
        return False
    return modes_of(claim) <= modes_of(volume)


def _is_in_topology(terms: Sequence[Document], node_labels: Labels) -> bool:
    """True if the node's labels match one of `terms`, the ``allowedTopologies`` of a StorageClass, or `terms` is empty.

    Source: ``MatchTopologySelectorTerms``.
    """
    if not terms:
        return True
    topologies = (term.get("matchLabelExpressions") or () for term in terms)
    return any(
        expressions and all(node_labels.get(each["key"]) in each["values"] for each in expressions)
        for expressions in topologies
    )


def reports_capacity(driver: StoredObject) -> bool:
    """True if the scheduler must look for enough free storage in the CSIStorageCapacities of a CSIDriver."""
    return bool(driver.document["spec"].get("storageCapacity"))


def is_raised(old: StoredObject, new: StoredObject) -> bool:
    """True if a changed CSIStorageCapacity allows larger volumes than before."""
    before, after = _limit_of(old.document), _limit_of(new.document)
    return after is not None and (before is None or after > before)


def _limit_of(capacity: Document) -> int | None:
    """Return the size in bytes of the largest volume that a CSIStorageCapacity allows; None if it is not known."""
    limit = capacity.get("maximumVolumeSize", capacity.get("capacity"))
    return None if limit is None else Quantity(limit).value


def _is_large_enough(capacity: Document, size: int) -> bool:
    limit = _limit_of(capacity)
    return limit is not None and limit >= size


def _is_accessible(capacity: Document, node: NodeInfo) -> bool:
    topology = capacity.get("nodeTopology")
    if topology is None:
        return False
    try:
        selector = label_selectors.from_model(LabelSelector.from_document(topology))
    except ValueError:
        return False
    return selector.matches(node.facts.labels)


RULE: Final = FilterPlugin(NAME, prepare)
