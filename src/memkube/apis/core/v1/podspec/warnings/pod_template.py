"""Warnings about the metadata and spec of a pod or pod template, in kube-apiserver's order."""

from collections.abc import Iterable
from typing import Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.ip_addresses import ip_warnings
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec, PodTemplateSpec
from memkube.apis.core.v1.podspec.types.scheduling import (
    Affinity,
    PodAffinity,
    PodAntiAffinity,
)
from memkube.apis.core.v1.podspec.validation.context import AnyContainer, containers_with_paths
from memkube.apis.core.v1.podspec.validation.profiles import (
    APPARMOR_ANNOTATION,
    SECCOMP_CONTAINER_ANNOTATION,
    SECCOMP_POD_ANNOTATION,
    apparmor_profile_of,
)
from memkube.apis.core.v1.podspec.validation.scheduling import PREFERRED, REQUIRED
from memkube.apis.core.v1.podspec.warnings.containers import (
    BYTES,
    env_warnings,
    fraction_warnings,
    port_warnings,
    resource_warnings,
)
from memkube.apis.core.v1.podspec.warnings.node_labels import RETIRED_NODE_LABELS, node_term_warnings
from memkube.apis.core.v1.podspec.warnings.volumes import overlap_warnings, retired_volume_warnings

_NULL_SELECTOR: Final = "a null labelSelector results in matching no pod"
_SECCOMP: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_SYSCTLS: Final = 'non-functional in v1.11+; use the "sysctls" field instead'
_RETIRED_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
    "security.alpha.kubernetes.io/sysctls": _SYSCTLS,
    "security.alpha.kubernetes.io/unsafe-sysctls": _SYSCTLS,
}


def node_warnings(spec: PodSpec, path: FieldPath) -> Iterable[str]:
    """Warn about deprecated node labels in node selector, node affinity and topology spread constraints of a pod."""
    for label in spec.nodeSelector:
        if label in RETIRED_NODE_LABELS:
            yield f"{path.child('nodeSelector').key(label)}: {RETIRED_NODE_LABELS[label]}"
    if spec.affinity is not None:
        yield from _node_affinity_warnings(spec.affinity, path.child("affinity").child("nodeAffinity"))
    for index, constraint in enumerate(spec.topologySpreadConstraints):
        item = path.child("topologySpreadConstraints").item(index)
        if constraint.topologyKey in RETIRED_NODE_LABELS:
            retired = RETIRED_NODE_LABELS[constraint.topologyKey]
            yield f"{item.child('topologyKey')}: {constraint.topologyKey} is {retired}"
        if constraint.labelSelector is None:
            yield f"{item.child('labelSelector')}: {_NULL_SELECTOR}"


def pod_affinity_warnings(affinity: Affinity | None, path: FieldPath) -> Iterable[str]:
    """Warn about pod affinity terms without a label selector, which match no pod."""
    if affinity is None:
        return
    if affinity.podAffinity is not None:
        yield from _null_selectors(affinity.podAffinity, path.child("podAffinity"))
    if affinity.podAntiAffinity is not None:
        yield from _null_selectors(affinity.podAntiAffinity, path.child("podAntiAffinity"))


def _node_affinity_warnings(affinity: Affinity, path: FieldPath) -> Iterable[str]:
    nodes = affinity.nodeAffinity
    if nodes is None:
        return
    if nodes.requiredDuringSchedulingIgnoredDuringExecution is not None:
        terms_path = path.child(REQUIRED).child("nodeSelectorTerms")
        for index, term in enumerate(nodes.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms):
            yield from node_term_warnings(term, terms_path.item(index), check_values=False)
    for index, preferred in enumerate(nodes.preferredDuringSchedulingIgnoredDuringExecution):
        preference_path = path.child(PREFERRED).item(index).child("preference")
        yield from node_term_warnings(preferred.preference, preference_path, check_values=True)


def _null_selectors(affinity: PodAffinity | PodAntiAffinity, path: FieldPath) -> Iterable[str]:
    for index, term in enumerate(affinity.requiredDuringSchedulingIgnoredDuringExecution):
        if term.labelSelector is None:
            yield f"{path.child(REQUIRED).item(index).child('labelSelector')}: {_NULL_SELECTOR}"
    for index, weighted in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        if weighted.podAffinityTerm.labelSelector is None:
            term_path = path.child(PREFERRED).item(index).child("podAffinityTerm")
            yield f"{term_path.child('labelSelector')}: {_NULL_SELECTOR}"


def metadata_and_spec_warnings(meta: ObjectMeta, spec: PodSpec, path: FieldPath) -> list[str]:
    """Return warnings about a pod's metadata and spec. `path` is the path of the pod template, or empty for a pod."""
    spec_path, annotations_path = path.child("spec"), path.child("metadata").child("annotations")
    warnings = [*node_warnings(spec, spec_path)]
    for name, prose in _RETIRED_ANNOTATIONS.items():
        if name in meta.annotations:
            warnings.append(f"{annotations_path.key(name)}: {prose}")
    if spec.volumes:
        warnings += retired_volume_warnings(spec.volumes, spec_path.child("volumes"))
        warnings += overlap_warnings(spec.volumes)
    warnings += _repetitions(spec, spec_path)
    warnings += fraction_warnings(spec.overhead, BYTES, spec_path.child("overhead"))
    has_profile = spec.securityContext is not None and spec.securityContext.seccompProfile is not None
    if SECCOMP_POD_ANNOTATION in meta.annotations and not has_profile:
        warnings.append(f"{annotations_path.key(SECCOMP_POD_ANNOTATION)}: {_SECCOMP}")
    for container, container_path in containers_with_paths(spec, spec_path):
        if meta.annotations:
            warnings += _profile_warnings(container, meta, annotations_path)
        warnings += resource_warnings(container.resources, container_path.child("resources"))
        warnings += env_warnings(container.env, container_path.child("env"))
    warnings += port_warnings(spec, spec_path)
    if spec.terminationGracePeriodSeconds is not None and spec.terminationGracePeriodSeconds < 0:
        prose = "must be >= 0; negative values are invalid and will be treated as 1"
        warnings.append(f"{spec_path.child('terminationGracePeriodSeconds')}: {prose}")
    warnings += pod_affinity_warnings(spec.affinity, spec_path.child("affinity"))
    return [*warnings, *_address_warnings(spec, spec_path)]


def pod_template_warnings(template: PodTemplateSpec, path: FieldPath) -> list[str]:
    """Return warnings about a pod template, including warnings about AppArmor annotations.

    This function is not called for pods: they get the same warnings about AppArmor annotations from
    ``prepare_new_pod``.
    """
    warnings = metadata_and_spec_warnings(template.metadata, template.spec, path)
    context = template.spec.securityContext
    annotations = template.metadata.annotations
    for container, _ in containers_with_paths(template.spec, path):
        annotation = annotations.get(APPARMOR_ANNOTATION + container.name)
        own = container.securityContext.appArmorProfile if container.securityContext else None
        of_pod = context.appArmorProfile if context else None
        if annotation is None or own is not None or (of_pod and of_pod == apparmor_profile_of(annotation)):
            continue
        key = path.child("metadata").child("annotations").key(APPARMOR_ANNOTATION + container.name)
        warnings.append(f'{key}: deprecated since v1.30; use the "appArmorProfile" field instead')
    return warnings


def _repetitions(spec: PodSpec, path: FieldPath) -> Iterable[str]:
    addresses: set[str] = set()
    for index, alias in enumerate(spec.hostAliases):
        if alias.ip in addresses:
            yield f"{path.child('hostAliases').item(index).child('ip')}: duplicate ip {quoted(alias.ip)}"
        addresses.add(alias.ip)
    secrets: set[str] = set()
    for index, secret in enumerate(spec.imagePullSecrets):
        if secret.name in secrets:
            yield f"{path.child('imagePullSecrets').item(index).child('name')}: duplicate name {quoted(secret.name)}"
        secrets.add(secret.name)
    for index, secret in enumerate(spec.imagePullSecrets):
        if not secret.name:
            yield f'{path.child("imagePullSecrets").item(index).child("name")}: invalid empty name ""'


def _profile_warnings(container: AnyContainer, meta: ObjectMeta, path: FieldPath) -> Iterable[str]:
    key = SECCOMP_CONTAINER_ANNOTATION + container.name
    has_profile = container.securityContext is not None and container.securityContext.seccompProfile is not None
    if key in meta.annotations and not has_profile:
        yield f"{path.key(key)}: {_SECCOMP}"


def _address_warnings(spec: PodSpec, path: FieldPath) -> Iterable[str]:
    if spec.dnsConfig is not None:
        for index, server in enumerate(spec.dnsConfig.nameservers):
            yield from ip_warnings(path.child("dnsConfig").child("nameservers").item(index), server)
    for index, alias in enumerate(spec.hostAliases):
        yield from ip_warnings(path.child("hostAliases").item(index).child("ip"), alias.ip)
