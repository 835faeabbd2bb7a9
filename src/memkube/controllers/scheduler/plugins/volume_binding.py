"""Claims of a pod, and the nodes that can access their volumes (``plugins/volumebinding``).

Claims are not bound by the scheduler: an unbound claim keeps its pod pending, also with WaitForFirstConsumer.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import STORAGE_CLASS_ANNOTATION
from memkube.controllers.scheduler.framework import (
    ClusterListers,
    FilterPlugin,
    Impossible,
    PreparedFilter,
    Rejection,
    SchedulingContext,
)
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.plugins.node_affinity import NodeTerm
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.controllers.workloads.owners import controller_uid

NAME: Final = "VolumeBinding"
_BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
_NO_VOLUME: Final = "node(s) didn't find available persistent volumes to bind"
_ELSEWHERE: Final = "node(s) didn't match PersistentVolume's node affinity"
_VOLUME_GONE: Final = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


def claim_names(pod_name: str, spec: Document) -> Iterator[tuple[str, bool]]:
    """Return the claims of a pod, each with whether it is created for the pod (an ephemeral volume)."""
    for volume in spec.get("volumes") or ():
        claim = volume.get("persistentVolumeClaim")
        if claim is not None:
            yield claim["claimName"], False
        elif volume.get("ephemeral") is not None:
            yield f"{pod_name}-{volume['name']}", True


class _Bound(NamedTuple):
    """The node affinity of a bound volume."""

    is_there: bool
    terms: Sequence[NodeTerm] | None
    """Node selector terms of the nodes that can reach the volume; None for all nodes."""


class _Volumes(PreparedFilter):
    def __init__(self, bound: Sequence[_Bound], *, waits: bool) -> None:
        self._bound = bound
        self._waits = waits

    def rejects(self, node: NodeInfo) -> Rejection | None:
        reasons: list[str] = []
        for volume in self._bound:
            if not volume.is_there:
                return Rejection(NAME, (_VOLUME_GONE,), resolvable=False)
            terms = volume.terms
            if terms is not None and not any(term.matches(node.name, node.facts.labels) for term in terms):
                reasons = [_ELSEWHERE]
        if self._waits:
            reasons.append(_NO_VOLUME)
        return Rejection(NAME, tuple(reasons), resolvable=False) if reasons else None


def _prepare(situation: SchedulingContext) -> PreparedFilter | None:
    pod, surroundings = situation.pod, situation.surroundings
    claims = [
        _usable_claim(surroundings, pod, name, for_pod=for_pod) for name, for_pod in claim_names(pod.name, pod.spec)
    ]
    if not claims:
        return None
    unbound = [claim for claim in claims if not _is_bound(claim)]
    if any(claim["spec"].get("volumeName") or not _waits_for_pod(surroundings, claim) for claim in unbound):
        raise Impossible(NAME, "pod has unbound immediate PersistentVolumeClaims")
    bound = [_volume(surroundings, claim["spec"]["volumeName"]) for claim in claims if _is_bound(claim)]
    return _Volumes(bound, waits=bool(unbound))


def _usable_claim(surroundings: ClusterListers, pod: PodInfo, name: str, *, for_pod: bool) -> Document:
    """Return a claim of a pod. Raises Impossible if it is missing, lost, terminating, or owned by another pod."""
    stored = surroundings.claims.get(pod.namespace, name)
    if stored is None:
        why = f"persistentvolumeclaim {quoted(name)} not found"
        if for_pod:
            why = f"waiting for ephemeral volume controller to create the persistentvolumeclaim {quoted(name)}"
        raise Impossible(NAME, why)
    claim = stored.document
    if claim["status"].get("phase") == "Lost":
        volume = quoted(claim["spec"].get("volumeName", ""))
        raise Impossible(NAME, f"persistentvolumeclaim {quoted(name)} bound to non-existent persistentvolume {volume}")
    if "deletionTimestamp" in claim["metadata"]:
        raise Impossible(NAME, f"persistentvolumeclaim {quoted(name)} is being deleted")
    if for_pod and controller_uid(stored) != pod.uid:
        place = pod.namespace
        raise Impossible(NAME, f"PVC {place}/{name} was not created for pod {place}/{pod.name} (pod is not owner)")
    return claim


def _is_bound(claim: Document) -> bool:
    return bool(claim["spec"].get("volumeName")) and _BIND_COMPLETED in (claim["metadata"].get("annotations") or {})


def _waits_for_pod(surroundings: ClusterListers, claim: Document) -> bool:
    annotations = claim["metadata"].get("annotations") or {}
    name = annotations.get(STORAGE_CLASS_ANNOTATION, claim["spec"].get("storageClassName", ""))
    storage_class = surroundings.storage_classes.get("", name)
    return storage_class is not None and storage_class.document.get("volumeBindingMode") == "WaitForFirstConsumer"


def _volume(surroundings: ClusterListers, name: str) -> _Bound:
    stored = surroundings.volumes.get("", name)
    if stored is None:
        return _Bound(is_there=False, terms=None)
    required = (stored.document["spec"].get("nodeAffinity") or {}).get("required")
    terms = None if required is None else [NodeTerm(term) for term in required["nodeSelectorTerms"] or ()]
    return _Bound(is_there=True, terms=terms)


RULE: Final = FilterPlugin(NAME, _prepare)
