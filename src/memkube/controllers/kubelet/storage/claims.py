"""Volumes of pods that use PersistentVolumeClaims, and messages about claims that cannot be mounted.

Source: the kubelet's ``volumemanager``.
"""

from collections.abc import Iterator
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.controllers.kubelet.pod_context import PodContext

_PROTECTION: Final = "kubernetes.io/pvc-protection"


def unmounted_claims(context: PodContext) -> str:
    """Return the kubelet's message about a pod's claims that cannot be mounted; empty if all can be mounted.

    `context` has the pod and the claims that it refers to.
    """
    wanted, volumes = _wanted(context), context.pod.spec.volumes
    waiting = [(v.name, why) for v in volumes if v.name in wanted and (why := _problem(v, context))]
    if not waiting:
        return ""
    names, problems = " ".join(sorted(name for name, _ in waiting)), "; ".join(why for _, why in waiting)
    return (
        f"Unable to attach or mount volumes: unmounted volumes=[{' '.join(sorted(wanted))}], "
        f"unattached volumes=[], failed to process volumes=[{names}]: {problems}"
    )


def unattached_claims(context: PodContext) -> str:
    """Return the kubelet's message about a pod's volumes that are not attached to its node; empty if all are.

    `context` has the pod and its volumes.
    """
    node, wanted = context.pod.spec.nodeName, _wanted(context)
    disks = [(name, disk) for name, disk in _disks(context) if name in wanted]
    names = sorted(name for name, disk in disks if not context.objects.is_attached(node, disk))
    if not names:
        return ""
    shown = " ".join(names)
    return (
        f"Unable to attach or mount volumes: unmounted volumes=[{shown}], unattached volumes=[{shown}], "
        "failed to process volumes=[]: context deadline exceeded"
    )


def claimed_volumes(context: PodContext) -> dict[str, str]:
    """Return the uids of the PersistentVolumes that the pod of `context` uses, by the names of the pod's volumes."""
    return {name: disk["metadata"]["uid"] for name, disk in _disks(context)}


def _wanted(context: PodContext) -> set[str]:
    """Return the names of the volumes that containers of the pod of `context` use."""
    spec = context.pod.spec
    containers = (*spec.initContainers, *spec.containers, *spec.ephemeralContainers)
    mounted = {mount.name for container in containers for mount in container.volumeMounts}
    return mounted | {device.name for container in containers for device in container.volumeDevices}


def _disks(context: PodContext) -> Iterator[tuple[str, Document]]:
    """Yield pairs: the name of a volume in the spec of the pod, and the PersistentVolume that the volume uses.

    Volumes without a bound PersistentVolume are left out. `context` has the pod.
    """
    for volume in context.pod.spec.volumes:
        name = _claim_name(volume, context)
        claim = context.objects.claim(context.pod.metadata.namespace, name) if name else None
        disk = None if claim is None else context.objects.volume(claim["spec"].get("volumeName", ""))
        if disk is not None:
            yield volume.name, disk


def _claim_name(volume: Volume, context: PodContext) -> str:
    """Return the name of the PersistentVolumeClaim that `volume` of the pod uses; empty if it uses none."""
    if volume.persistentVolumeClaim is not None:
        return volume.persistentVolumeClaim.claimName
    return f"{context.pod.metadata.name}-{volume.name}" if volume.ephemeral is not None else ""


def _problem(volume: Volume, context: PodContext) -> str:
    pod, name = context.pod.metadata, _claim_name(volume, context)
    if not name:
        return ""
    claim = context.objects.claim(pod.namespace, name)
    why = next(_problems(name, claim, context), "")
    if why:
        return f"error processing PVC {pod.namespace}/{name}: {why}"
    owners = claim["metadata"].get("ownerReferences") or () if claim is not None else ()
    if volume.ephemeral is not None and not any(o.get("controller") and o["uid"] == pod.uid for o in owners):
        return f"PVC {pod.namespace}/{name} was not created for pod {pod.namespace}/{pod.name} (pod is not owner)"
    return ""


def _problems(name: str, claim: Document | None, context: PodContext) -> Iterator[str]:
    if claim is None:
        yield f'failed to fetch PVC from API server: persistentvolumeclaims "{name}" not found'
        return
    metadata, volume_name = claim["metadata"], claim["spec"].get("volumeName", "")
    if "deletionTimestamp" in metadata and _PROTECTION not in (metadata.get("finalizers") or ()):
        yield "PVC is being deleted"
    if claim["status"].get("phase") != "Bound":
        yield "PVC is not bound"
    if not volume_name:
        yield "PVC has empty pvc.Spec.VolumeName"
    volume = context.objects.volume(volume_name)
    if volume is None:
        missing = f'persistentvolumes "{volume_name}" not found'
        yield f"failed to fetch PV {volume_name} from API server: {missing}"
        return
    reference, found = volume["spec"].get("claimRef"), f"found PV object {volume_name} but"
    if reference is None:
        yield f"{found} it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim"
    elif reference.get("uid", "") != metadata["uid"]:
        uids = f"pv.Spec.ClaimRef.UID {reference.get('uid', '')} does not point to claim.UID {metadata['uid']}"
        yield f"{found} its {uids}"
