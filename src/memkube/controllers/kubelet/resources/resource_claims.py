"""ResourceClaims of pods. A node prepares the devices of claims that are reserved for its pods.

Source: the kubelet's ``cm/dra``. The drivers of all devices are simulated, and always succeed.
"""

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.scheduling import PodResourceClaim
from memkube.controllers.kubelet.pod_context import PodContext


def unprepared_claims(context: PodContext) -> str:
    """Return the kubelet's message about a pod's first ResourceClaim that cannot be prepared; empty if all can.

    `context` has the pod and the objects that it refers to.
    """
    pod = context.pod
    for reference in pod.spec.resourceClaims:
        why = _problem(context, reference)
        if why:
            return _message(why)
    extended = pod.status.extendedResourceClaimStatus
    why = _not_usable(context, extended.resourceClaimName) if extended is not None else ""
    return _message(why) if why else ""


def _message(why: str) -> str:
    return f"Failed to prepare dynamic resources: prepare dynamic resources: {why}"


def _problem(context: PodContext, reference: PodResourceClaim) -> str:
    metadata, status = context.pod.metadata, context.pod.status
    if reference.resourceClaimName is not None:
        return _not_usable(context, reference.resourceClaimName)
    generated = next((one for one in status.resourceClaimStatuses if one.name == reference.name), None)
    if generated is None:
        return f'pod "{metadata.namespace}/{metadata.name}": ResourceClaim not created yet'
    if generated.resourceClaimName is None:
        return ""
    return _not_usable(context, generated.resourceClaimName, is_generated=True)


def _not_usable(context: PodContext, name: str, *, is_generated: bool = False) -> str:
    """Return the reason why a pod may not use a ResourceClaim; empty if it may.

    `is_generated` is True if the claim was created from a template, so that the pod must be its owner.
    """
    pod = context.pod.metadata
    claim = context.objects.resource_claim(pod.namespace, name)
    if claim is None:
        return f'fetch ResourceClaim {name}: resourceclaims.resource.k8s.io "{name}" not found'
    if is_generated and not _is_owned(claim, pod.uid):
        what = f"ResourceClaim {pod.namespace}/{name} was not created for Pod {pod.namespace}/{pod.name}"
        return f"{what} (Pod is not owner)"
    if not any(consumer["uid"] == pod.uid for consumer in claim["status"].get("reservedFor") or ()):
        return f"pod {pod.name} ({pod.uid}) is not allowed to use ResourceClaim {name} ({claim['metadata']['uid']})"
    return "" if claim["status"].get("allocation") else f"ResourceClaim {name}: not allocated"


def _is_owned(claim: Document, uid: str) -> bool:
    owners = claim["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["uid"] == uid for owner in owners)
