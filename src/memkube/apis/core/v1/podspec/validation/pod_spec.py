"""The rules for a pod spec, all in the order in which the reference reports them."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported, required
from memkube.apimachinery.meta.validation.labels import validate_labels
from memkube.apimachinery.names import range_error
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements
from memkube.apis.core.v1.podspec.validation.affinity import validate_affinity
from memkube.apis.core.v1.podspec.validation.containers import (
    validate_containers,
    validate_ephemeral_containers,
    validate_init_containers,
)
from memkube.apis.core.v1.podspec.validation.context import PodContext, SpecRules
from memkube.apis.core.v1.podspec.validation.dns import (
    validate_dns_config,
    validate_dns_policy,
    validate_host_aliases,
    validate_hostname_override,
)
from memkube.apis.core.v1.podspec.validation.env import validate_env_file_volumes
from memkube.apis.core.v1.podspec.validation.name_rules import validate_dns_label, validate_subdomain
from memkube.apis.core.v1.podspec.validation.ports import validate_host_network_ports
from memkube.apis.core.v1.podspec.validation.resource_claims import (
    validate_pod_level_resources,
    validate_resource_claims,
)
from memkube.apis.core.v1.podspec.validation.resources import (
    validate_container_resource_name,
    validate_requirements,
)
from memkube.apis.core.v1.podspec.validation.scheduling import (
    validate_readiness_gates,
    validate_scheduling_gates,
    validate_tolerations,
    validate_topology_spread,
)
from memkube.apis.core.v1.podspec.validation.security import validate_host_users, validate_pod_security_context
from memkube.apis.core.v1.podspec.validation.volumes import validate_volumes
from memkube.apis.core.v1.podspec.validation.windows import validate_host_process, validate_os

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")
_MAX_INT32: Final = 2**31 - 1


def validate_pod_spec(
    spec: PodSpec, path: FieldPath, rules: SpecRules, *, pod_name: str = "", annotations: Mapping[str, str]
) -> list[FieldError]:
    """The spec can run. The pod's name is unknown in a template, where `annotations` are empty for the same reason."""
    errors: list[FieldError] = []
    if spec.terminationGracePeriodSeconds is None:
        errors.append(required(path.child("terminationGracePeriodSeconds")))
    volumes, volume_errors = validate_volumes(spec.volumes, pod_name, path.child("volumes"), is_pod=rules.is_pod)
    errors += volume_errors
    pod = PodContext(
        volumes=volumes,
        claim_names=frozenset(claim.name for claim in spec.resourceClaims if claim.name),
        restart_policy=spec.restartPolicy,
        grace_period=spec.terminationGracePeriodSeconds,
        host_users=spec.hostUsers is not False,
    )
    if spec.resourceClaims:
        errors += validate_resource_claims(spec.resourceClaims, annotations, path.child("resourceClaims"))
    errors += validate_containers(spec, pod, path.child("containers"))
    if spec.initContainers:
        errors += validate_init_containers(spec, pod, path.child("initContainers"))
    if spec.ephemeralContainers:
        errors += validate_ephemeral_containers(spec, pod, path.child("ephemeralContainers"))
    if spec.resources is not None:
        errors += validate_pod_level_resources(spec, pod.claim_names, path)
    return errors + _validate_settings(spec, path, rules) + _validate_names(spec, path) + _validate_rest(spec, path)


def _validate_settings(spec: PodSpec, path: FieldPath, rules: SpecRules) -> list[FieldError]:
    errors = validate_host_network_ports(spec, path, is_pod=rules.is_pod)
    if spec.restartPolicy not in _RESTART_POLICIES:
        policy_path = path.child("restartPolicy")
        wrong = not_supported(policy_path, spec.restartPolicy, _RESTART_POLICIES)
        errors.append(wrong if spec.restartPolicy else required(policy_path))
    errors += validate_dns_policy(spec.dnsPolicy, path.child("dnsPolicy"))
    if spec.nodeSelector:
        errors += validate_labels(spec.nodeSelector, path.child("nodeSelector"))
    errors += validate_pod_security_context(spec, path, rules)
    errors += validate_affinity(spec.affinity, path.child("affinity"))
    errors += validate_dns_config(spec.dnsConfig, spec.dnsPolicy, path.child("dnsConfig"))
    if spec.readinessGates:
        errors += validate_readiness_gates(spec.readinessGates, path.child("readinessGates"))
    if spec.schedulingGates:
        errors += validate_scheduling_gates(spec.schedulingGates, path.child("schedulingGates"))
    if spec.topologySpreadConstraints:
        errors += validate_topology_spread(spec.topologySpreadConstraints, path.child("topologySpreadConstraints"))
    errors += validate_host_process(spec, path)
    errors += validate_host_users(spec, path)
    return errors + validate_hostname_override(spec, path)


def _validate_names(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.serviceAccountName:
        errors += validate_subdomain(spec.serviceAccountName, path.child("serviceAccountName"))
    if spec.nodeName:
        errors += validate_subdomain(spec.nodeName, path.child("nodeName"))
    deadline = spec.activeDeadlineSeconds
    if deadline is not None and not 1 <= deadline <= _MAX_INT32:
        errors.append(invalid(path.child("activeDeadlineSeconds"), deadline, range_error(1, _MAX_INT32)))
    if spec.hostname:
        errors += validate_dns_label(spec.hostname, path.child("hostname"))
    if spec.subdomain:
        errors += validate_dns_label(spec.subdomain, path.child("subdomain"))
    return errors


def _validate_rest(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.tolerations:
        errors += validate_tolerations(spec.tolerations, path.child("tolerations"))
    if spec.hostAliases:
        errors += validate_host_aliases(spec, path.child("hostAliases"))
    if spec.priorityClassName:
        errors += validate_subdomain(spec.priorityClassName, path.child("priorityClassName"))
    if spec.runtimeClassName is not None:
        errors += validate_subdomain(spec.runtimeClassName, path.child("runtimeClassName"))
    if spec.preemptionPolicy is not None and spec.preemptionPolicy not in _PREEMPTION_POLICIES:
        policy_path = path.child("preemptionPolicy")
        wrong = not_supported(policy_path, spec.preemptionPolicy, _PREEMPTION_POLICIES)
        errors.append(wrong if spec.preemptionPolicy else required(policy_path))
    if spec.overhead:
        overhead = ResourceRequirements(limits=spec.overhead)
        overhead_path = path.child("overhead")
        errors += validate_requirements(overhead, frozenset(), overhead_path, validate_container_resource_name)
    if spec.os is not None:
        errors += validate_os(spec, path)
    return errors + validate_env_file_volumes(spec, path)
