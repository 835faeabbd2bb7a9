"""The scheduler plugin DynamicResources: devices for the ResourceClaims of a pod (``plugins/dynamicresources``).

The search for devices begins in the module :mod:`device_filter`. This module needs CEL, so it is imported only when the
first pod that uses devices is scheduled.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memkube.controllers.resource_claims.pod_claims import (
    NotCreated,
    allocation_of,
    claim_name,
    claim_references,
    not_for_pod,
)
from memkube.controllers.scheduler.devices.requests import requests_of_claim
from memkube.controllers.scheduler.framework import (
    ClusterListers,
    FilterPlugin,
    Impossible,
    PreparedFilter,
    SchedulingContext,
    ScorePlugin,
)
from memkube.controllers.scheduler.node_info import NodeInfo
from memkube.controllers.scheduler.pod_info import PodInfo
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    # Imported for types only: `prepare` imports the module when the first pod that uses devices is scheduled.
    from memkube.controllers.scheduler.plugins.device_filter import DeviceFilter

NAME: Final = "DynamicResources"


class DeviceState(PreparedFilter):
    """Base class of the device filter.

    It has the pod's ResourceClaims that may be the reason why the pod fits on no node. If the pod is unschedulable,
    `ClaimBinder.release_unusable` deallocates or deletes one of these claims.
    """

    unavailable: dict[str, StoredObject]
    """Allocated ResourceClaims whose devices are not available on at least one node, by uid."""
    stale_claim: StoredObject | None
    """ResourceClaim for extended resources from an earlier attempt to schedule the pod, or None."""


def prepare(context: SchedulingContext) -> "DeviceFilter | None":
    """Return the filter for the pod in `context`, or None if the pod uses no devices.

    Raises Impossible if the pod can fit on no node, for example because a ResourceClaim is missing.
    """
    pod, listers = context.pod, context.listers
    extended = listers.extended_resources.provided(
        name for name, amount in pod.requests.resources.scalars.items() if amount
    )
    if not extended and not claim_references(pod.stored):
        return None
    claims = _claims_of(listers, pod)
    for claim in claims:
        if allocation_of(claim) is not None:
            continue
        if listers.allocated_devices.is_pending(claim.uid):
            why = f"resource claim {claim.namespace}/{claim.name} is in the process of being allocated"
            raise Impossible(NAME, why)
        for alternatives in requests_of_claim(claim.document["spec"]):
            for request in alternatives:
                if listers.device_classes.get("", request.class_name) is None:
                    why = f"request {request.full_name}: device class {request.class_name} does not exist"
                    raise Impossible(NAME, why)
    if not claims and not extended:
        return None
    from memkube.controllers.scheduler.plugins.device_filter import DeviceFilter  # noqa: PLC0415  see above

    return DeviceFilter(context, claims, sorted(extended))


def gate(listers: ClusterListers, pod: PodInfo) -> str:
    """Return the name of this plugin if a pod must wait for its ResourceClaims; otherwise an empty text.

    `listers` has the cluster's ResourceClaims. A waiting pod is not reported as unschedulable (extension point
    PreEnqueue).
    """
    try:
        _claims_of(listers, pod)
    except Impossible:
        return NAME
    return ""


def _claims_of(listers: ClusterListers, pod: PodInfo) -> list[StoredObject]:
    """Return the ResourceClaims of a pod, from those in `listers`.

    Raises Impossible if a claim is missing or terminating, or was created for another pod.
    """
    claims = []
    for reference in claim_references(pod.stored):
        try:
            found = claim_name(pod.stored, reference)
        except NotCreated as error:
            raise Impossible(NAME, str(error)) from None
        if found is None:
            continue
        claim = listers.known_resource_claims.get((pod.namespace, found.name))
        if claim is None:
            raise Impossible(NAME, f'could not find ResourceClaim "{pod.namespace}/{found.name}"')
        if "deletionTimestamp" in claim.document["metadata"]:
            raise Impossible(NAME, f'resourceclaim "{claim.name}" is being deleted')
        if found.is_generated and (why := not_for_pod(claim, pod.stored)):
            raise Impossible(NAME, why)
        claims.append(claim)
    return claims


RULE: Final = FilterPlugin(NAME, prepare)


def _score(context: SchedulingContext, nodes: Sequence[NodeInfo]) -> Sequence[int] | None:
    """Return a score from 0 to 100 for each node, for the pod in `context`.

    If device requests of the pod list alternatives, in the order of preference, a node has a higher score if its
    devices satisfy earlier ones. Returns None if all scores are 0, for example because there are no alternatives.
    """
    if not claim_references(context.pod.stored):
        return None
    prepared = prepare(context)
    if prepared is None or not prepared.has_alternatives:
        return None
    scores = [prepared.preference(node) for node in nodes]
    best = max(scores)
    return [score * 100 // best for score in scores] if best else None


SCORE: Final = ScorePlugin(NAME, 2, _score)
