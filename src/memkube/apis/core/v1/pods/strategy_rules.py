"""Preparation of pods for create and update, before validation (``pkg/registry/core/pod/strategy.go``).

Each function changes the new pod in place and does not change the old one.
"""

from collections.abc import Iterable, Mapping, Sequence

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.ip_addresses import ip_warnings
from memkube.apimachinery.meta.v1.selectors import LabelSelector, LabelSelectorRequirement
from memkube.apimachinery.names import is_dns1123_label
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import reset_metadata_for_status
from memkube.apis.core.v1.pods.status import qos_class
from memkube.apis.core.v1.pods.types import Pod, PodCondition, PodStatus
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.probes import Lifecycle
from memkube.apis.core.v1.podspec.types.scheduling import Affinity, PodAffinityTerm
from memkube.apis.core.v1.podspec.types.security import SecurityContext
from memkube.apis.core.v1.podspec.validation.context import containers_with_paths
from memkube.apis.core.v1.podspec.validation.profiles import (
    APPARMOR_ANNOTATION,
    apparmor_profile_of,
    validate_apparmor_profile,
)
from memkube.apis.core.v1.podspec.warnings.pod_template import metadata_and_spec_warnings
from memkube.registry.objects.interned_specs import either, interned_spec_of


def drop_disabled_fields(spec: PodSpec) -> None:
    """Clear fields of a pod's spec whose features are disabled by default."""
    for volume in spec.volumes:
        for source in volume.projected.sources if volume.projected else []:
            source.clusterTrustBundle = source.podCertificate = None
    if spec.schedulingGroup is not None:
        spec.schedulingGroup = None
    for containers in (spec.containers, spec.initContainers, spec.ephemeralContainers):
        for container in containers:
            if container.lifecycle is not None and container.lifecycle.stopSignal is not None:
                container.lifecycle.stopSignal = None
                if container.lifecycle == Lifecycle():
                    container.lifecycle = None


def drop_disabled_status_fields(status: PodStatus) -> None:
    """Clear fields of a pod's status whose features are disabled by default."""
    status.nodeAllocatableResourceClaimStatuses = []
    for container in status.every_container:
        for mount in container.volumeMounts:
            mount.volumeStatus = None


def complete_selectors(pod: Pod) -> None:
    """Turn `matchLabelKeys` and `mismatchLabelKeys` of a pod's constraints into requirements of their label selectors.

    For each key, the selected pods must have (or, for `mismatchLabelKeys`, must not have) this pod's label value.
    """
    labels = pod.metadata.labels
    if pod.spec.affinity is not None:
        for term in _terms(pod.spec.affinity):
            if term.labelSelector is not None:
                _require(term.labelSelector, term.matchLabelKeys, "In", labels)
                _require(term.labelSelector, term.mismatchLabelKeys, "NotIn", labels)
    for constraint in pod.spec.topologySpreadConstraints:
        if constraint.labelSelector is not None:
            _require(constraint.labelSelector, constraint.matchLabelKeys, "In", labels)


def _terms(affinity: Affinity) -> Iterable[PodAffinityTerm]:
    for pods in (affinity.podAffinity, affinity.podAntiAffinity):
        if pods is not None:
            yield from (weighted.podAffinityTerm for weighted in pods.preferredDuringSchedulingIgnoredDuringExecution)
            yield from pods.requiredDuringSchedulingIgnoredDuringExecution


def _require(selector: LabelSelector, keys: Iterable[str], operator: str, labels: Mapping[str, str]) -> None:
    selector.matchExpressions += [
        LabelSelectorRequirement(key=key, operator=operator, values=[labels[key]]) for key in keys if key in labels
    ]


def prepare_new_pod(pod: Pod, now: Time) -> list[str]:
    """Set the initial status of a new pod. Returns warnings about deprecated AppArmor annotations."""
    pod.metadata.generation = 1
    pod.status = PodStatus(phase="Pending", qosClass=pod.status.qosClass or qos_class(pod.spec))
    drop_disabled_fields(pod.spec)
    if pod.spec.schedulingGates:
        pod.status.conditions = [_gated(now)]
    complete_selectors(pod)
    return _adopt_apparmor_annotations(pod) if pod.metadata.annotations else []


def prepare_pod_update(new: Pod, old: Pod) -> None:
    """Discard an update's changes to status, and increment the generation of the pod if its spec changed."""
    new.status = old.status
    drop_disabled_fields(new.spec)
    _update_generation(new, old)


def prepare_pod_status_update(new: Pod, old: Pod) -> None:
    """Discard an update's changes outside of status, except to metadata that the kubelet may write."""
    new.spec = old.spec
    new.metadata.deletionTimestamp = None
    new.metadata.ownerReferences = old.metadata.ownerReferences
    new.status.qosClass = new.status.qosClass or old.status.qosClass
    _keep_observed_generations(new.status, old.status)
    drop_disabled_status_fields(new.status)


def prepare_ephemeral_containers_update(new: Pod, old: Pod) -> None:
    """Discard an update's changes outside of the ephemeral containers."""
    containers = new.spec.ephemeralContainers
    new.spec = old.spec.model_copy(update={"ephemeralContainers": containers})
    new.status = old.status
    reset_metadata_for_status(new.metadata, old.metadata)
    drop_disabled_fields(new.spec)
    _update_generation(new, old)


def prepare_pod_resize(new: Pod, old: Pod) -> None:
    """Discard all changes of an update except those of resources and resize policies.

    Resources are those of the pod and of its containers. If the update adds or removes containers, nothing is
    discarded, because validation rejects it.
    """
    spec = new.spec
    counts = len(spec.containers), len(spec.initContainers)
    if counts == (len(old.spec.containers), len(old.spec.initContainers)):
        changed = {
            "containers": _resized(spec.containers, old.spec.containers),
            "initContainers": _resized(spec.initContainers, old.spec.initContainers),
            "resources": spec.resources,
        }
        new.spec = old.spec.model_copy(update=changed)
        new.status = old.status
        reset_metadata_for_status(new.metadata, old.metadata)
    drop_disabled_fields(new.spec)
    _update_generation(new, old)


def _gated(now: Time) -> PodCondition:
    return PodCondition(
        type="PodScheduled",
        status="False",
        lastTransitionTime=now,
        reason="SchedulingGated",
        message="Scheduling is blocked due to non-empty scheduling gates",
    )


def _adopt_apparmor_annotations(pod: Pod) -> list[str]:
    if pod.spec.os is not None and pod.spec.os.name == "windows":
        return []
    of_pod = pod.spec.securityContext.appArmorProfile if pod.spec.securityContext else None
    warnings: list[str] = []
    for container, _ in containers_with_paths(pod.spec, FieldPath("spec")):
        key = APPARMOR_ANNOTATION + container.name
        own = container.securityContext.appArmorProfile if container.securityContext else None
        if key not in pod.metadata.annotations or own is not None:
            continue
        profile = apparmor_profile_of(pod.metadata.annotations[key])
        if profile is not None and validate_apparmor_profile(profile, FieldPath("")):
            profile = None
        if profile is not None and profile == of_pod:
            continue
        if profile is not None:
            container.securityContext = container.securityContext or SecurityContext()
            container.securityContext.appArmorProfile = profile
        path = FieldPath("metadata.annotations").key(key)
        warnings.append(f'{path}: deprecated since v1.30; use the "appArmorProfile" field instead')
    return warnings


def _update_generation(new: Pod, old: Pod) -> None:
    if new.spec == old.spec:
        # If the specs are equal, new and old pod share one object, because comparing an object with itself is fast.
        new.spec = old.spec = either(new.spec, old.spec)
    else:
        new.metadata.generation += 1


def _keep_observed_generations(new: PodStatus, old: PodStatus) -> None:
    """Copy `observedGeneration` from the old conditions of a pod to new conditions that lack it.

    Old clients do not know the field, and would remove it. Several conditions may have the same type; these are matched
    in order.
    """
    new.observedGeneration = new.observedGeneration or old.observedGeneration
    remembered: dict[str, list[int]] = {}
    for condition in old.conditions:
        remembered.setdefault(condition.type, []).append(condition.observedGeneration)
    for condition in new.conditions:
        generations = remembered.get(condition.type)
        generation = generations.pop(0) if generations else 0
        condition.observedGeneration = condition.observedGeneration or generation


def _resized(new: Sequence[Container], old: Sequence[Container]) -> list[Container]:
    if any(container.name != other.name for container, other in zip(new, old, strict=True)):
        return list(new)
    return [
        other.model_copy(update={"resources": container.resources, "resizePolicy": container.resizePolicy})
        for container, other in zip(new, old, strict=True)
    ]


def pod_warnings(pod: Pod) -> list[str]:
    """Return warnings about a new pod for the response's Warning headers."""
    warnings: list[str] = []
    if messages := is_dns1123_label(pod.metadata.name):
        prose = "this is used in the Pod's hostname, which can result in surprising behavior"
        warnings.append(f"metadata.name: {prose}; a DNS label is recommended: [{' '.join(messages)}]")
    known = None if pod.metadata.annotations else interned_spec_of(pod.spec)
    if known is None:
        return warnings + metadata_and_spec_warnings(pod.metadata, pod.spec, FieldPath(""))
    return warnings + known.fact("warnings", lambda: metadata_and_spec_warnings(pod.metadata, pod.spec, FieldPath("")))


def pod_status_warnings(pod: Pod) -> list[str]:
    """Return warnings about a pod's updated status for the response's Warning headers."""
    warnings: list[str] = []
    for name in ("podIPs", "hostIPs"):
        for index, address in enumerate(getattr(pod.status, name)):
            warnings += ip_warnings(FieldPath("status").child(name).item(index).child("ip"), address.ip)
    return warnings
