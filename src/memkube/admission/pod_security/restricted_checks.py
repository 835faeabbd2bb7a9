"""Checks of the level ``restricted``, which requires hardened pods in addition to ``baseline``."""

from typing import Final

from memkube.admission.pod_security.baseline_checks import seccomp_profile
from memkube.admission.pod_security.findings import (
    Check,
    Finding,
    containers_of,
    listed,
    names_of,
    of_containers,
    plural,
    setters,
    use,
    values_of,
)
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.volumes import Volume, VolumeSource
from memkube.apis.core.v1.podspec.validation.context import AnyContainer

_UNRESTRICTED_VOLUMES: Final = (
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
)
# A volume has the type of its first source that is set. As in Kubernetes, photonPersistentDisk precedes portworxVolume.
_RESTRICTED_VOLUMES: Final = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
)


def except_on_windows(check: Check) -> Check:
    """Return a check that finds no violation in pods for Windows, and calls `check` for others."""
    return lambda metadata, spec: None if spec.os is not None and spec.os.name == "windows" else check(metadata, spec)


def except_in_user_namespaces(check: Check) -> Check:
    """Return a check that finds no violation in pods with their own user namespace, and calls `check` for others."""
    return lambda metadata, spec: None if spec.hostUsers is False else check(metadata, spec)


def privilege_escalation(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Require that containers set ``allowPrivilegeEscalation`` to false."""
    names = names_of(spec, _may_escalate)
    if not names:
        return None
    detail = f"{of_containers(names)} must set securityContext.allowPrivilegeEscalation=false"
    return Finding("allowPrivilegeEscalation != false", detail)


def _may_escalate(container: AnyContainer) -> bool:
    context = container.securityContext
    return context is None or context.allowPrivilegeEscalation is not False


def dropped_capabilities(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Require that all capabilities are dropped, and forbid adding any except NET_BIND_SERVICE."""
    keeping, adding, added = [], [], set()
    for container in containers_of(spec):
        context = container.securityContext
        changes = context.capabilities if context else None
        if changes is None or "ALL" not in changes.drop:
            keeping.append(container.name)
        more = {name for name in changes.add if name != "NET_BIND_SERVICE"} if changes else set()
        if more:
            adding.append(container.name)
            added |= more
    details = []
    if keeping:
        details.append(f'{of_containers(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        names = listed(sorted(added))
        details.append(f"{of_containers(adding)} must not include {names} in securityContext.capabilities.add")
    return Finding("unrestricted capabilities", "; ".join(details)) if details else None


def restricted_volumes(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid volume types that depend on the node or on external storage."""
    bad = [volume for volume in spec.volumes if _source(volume, _UNRESTRICTED_VOLUMES) is None]
    if not bad:
        return None
    names = [volume.name for volume in bad]
    types = sorted({_source(volume, _RESTRICTED_VOLUMES) or "unknown" for volume in bad})
    used = f"{use(names)} {plural('restricted volume type', types)} {listed(types)}"
    return Finding("restricted volume types", f"{plural('volume', names)} {listed(names)} {used}")


def _source(volume: Volume, names: tuple[str, ...]) -> str | None:
    source: VolumeSource = volume
    return next((name for name in names if getattr(source, name) is not None), None)


def run_as_non_root(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Require ``runAsNonRoot: true`` for the pod or all of its containers."""
    reason = "runAsNonRoot != true"
    own, of_each = values_of(spec, lambda context: context.runAsNonRoot)
    who = setters(own is False, [name for name, choice in of_each if choice is False])
    if who:
        return Finding(reason, f"{who} must not set securityContext.runAsNonRoot=false")
    silent = [] if own else [name for name, choice in of_each if choice is None]
    if not silent:
        return None
    return Finding(reason, f"pod or {of_containers(silent)} must set securityContext.runAsNonRoot=true")


def run_as_user(_: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Forbid ``runAsUser: 0``."""
    own, of_each = values_of(spec, lambda context: context.runAsUser)
    who = setters(own == 0, [name for name, user in of_each if user == 0])
    return Finding("runAsUser=0", f"{who} must not set runAsUser=0") if who else None


def chosen_seccomp_profile(metadata: ObjectMeta, spec: PodSpec) -> Finding | None:
    """Require that a pod sets a seccomp profile, which must be RuntimeDefault or Localhost."""
    wrong = seccomp_profile(metadata, spec)
    if wrong:
        return wrong
    own, of_each = values_of(spec, lambda context: context.seccompProfile)
    silent = [] if own else [name for name, profile in of_each if profile is None]
    if not silent:
        return None
    values = '"RuntimeDefault" or "Localhost"'
    detail = f"pod or {of_containers(silent)} must set securityContext.seccompProfile.type to {values}"
    return Finding("seccompProfile", detail)
