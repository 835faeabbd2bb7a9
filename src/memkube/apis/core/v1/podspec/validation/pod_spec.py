"""Validation of whole pod specs and pod templates (``pkg/apis/core/validation``)."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from memkube.apimachinery.ip_addresses import validate_ip
from memkube.apimachinery.meta.validation.labels import validate_labels
from memkube.apimachinery.meta.validation.object_meta import validate_annotations
from memkube.apimachinery.names import is_dns1123_subdomain_with_underscore, range_error
from memkube.apis.core.v1.podspec.types.containers import ResourceRequirements
from memkube.apis.core.v1.podspec.types.pod_spec import PodDNSConfig, PodSpec, PodTemplateSpec
from memkube.apis.core.v1.podspec.validation.annotations import validate_pod_annotations
from memkube.apis.core.v1.podspec.validation.containers import (
    validate_containers,
    validate_ephemeral_containers,
    validate_init_containers,
)
from memkube.apis.core.v1.podspec.validation.context import (
    PodContext,
    SpecRules,
    validate_dns_label,
    validate_subdomain,
)
from memkube.apis.core.v1.podspec.validation.env import validate_env_file_volumes
from memkube.apis.core.v1.podspec.validation.handlers import validate_host_network_ports
from memkube.apis.core.v1.podspec.validation.profiles import (
    validate_apparmor_agreement,
    validate_seccomp_agreement,
)
from memkube.apis.core.v1.podspec.validation.resources import (
    validate_container_resource_name,
    validate_pod_level_resources,
    validate_requirements,
    validate_resource_claims,
)
from memkube.apis.core.v1.podspec.validation.scheduling import (
    validate_affinity,
    validate_readiness_gates,
    validate_scheduling_gates,
    validate_tolerations,
    validate_topology_spread,
)
from memkube.apis.core.v1.podspec.validation.security import (
    validate_host_process,
    validate_host_users,
    validate_os,
    validate_pod_security_context,
)
from memkube.apis.core.v1.podspec.validation.volumes import validate_volumes

_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_NAMESERVERS_LIMIT: Final = 3
_SEARCHES_LIMIT: Final = 32
_SEARCH_LENGTH_LIMIT: Final = 2048
_HOSTNAME_LIMIT: Final = 64
_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")
_MAX_INT32: Final = 2**31 - 1
_TEMPLATE_RULES: Final = SpecRules()


def validate_dns_policy(policy: str, path: FieldPath) -> list[FieldError]:
    """Validate that the DNS policy is a known value."""
    if policy in _DNS_POLICIES:
        return []
    return [not_supported(path, policy, _DNS_POLICIES) if policy else required(path)]


def validate_dns_config(config: PodDNSConfig | None, policy: str, path: FieldPath) -> list[FieldError]:
    """Validate the DNS config of a pod.

    It is within the resolver's limits, and has a name server if the DNS policy is None.
    """
    if policy == "None":
        if config is None:
            return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        if not config.nameservers:
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [required(path.child("nameservers"), detail)]
    if config is None:
        return []
    errors = _validate_nameservers(config, path.child("nameservers"))
    errors += _validate_searches(config, path.child("searches"))
    for index, option in enumerate(config.options):
        if not option.name:
            errors.append(required(path.child("options").item(index), "must not be empty"))
    return errors


def validate_host_aliases(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """Validate host aliases: each has a valid IP address, and hostnames that are DNS subdomains."""
    errors: list[FieldError] = []
    for index, alias in enumerate(spec.hostAliases):
        errors += validate_ip(path.item(index).child("ip"), alias.ip)
        for number, hostname in enumerate(alias.hostnames):
            errors += validate_subdomain(hostname, path.item(index).child("hostnames").item(number))
    return errors


def validate_hostname_override(spec: PodSpec, path: FieldPath) -> list[FieldError]:
    """Validate hostnameOverride: a DNS subdomain, not combined with other hostname settings."""
    name = spec.hostnameOverride
    if name is None:
        return []
    path = path.child("hostnameOverride")
    errors: list[FieldError] = []
    if spec.setHostnameAsFQDN:
        errors.append(forbidden(path, "may not be specified when setHostnameAsFQDN is true"))
    if spec.hostNetwork:
        errors.append(forbidden(path, "may not be specified when hostNetwork is true"))
    if len(name.encode()) > _HOSTNAME_LIMIT:
        errors.append(too_long(path, _HOSTNAME_LIMIT))
    return errors + validate_subdomain(name, path)


def _validate_nameservers(config: PodDNSConfig, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    if len(config.nameservers) > _NAMESERVERS_LIMIT:
        detail = f"must not have more than {_NAMESERVERS_LIMIT} nameservers"
        errors.append(invalid(path, config.nameservers, detail))
    for index, server in enumerate(config.nameservers):
        errors += validate_ip(path.item(index), server)
    return errors


def _validate_searches(config: PodDNSConfig, path: FieldPath) -> list[FieldError]:
    searches = config.searches
    errors: list[FieldError] = []
    if len(searches) > _SEARCHES_LIMIT:
        errors.append(invalid(path, searches, f"must not have more than {_SEARCHES_LIMIT} search paths"))
    if len(" ".join(searches).encode()) > _SEARCH_LENGTH_LIMIT:
        detail = f"must not have more than {_SEARCH_LENGTH_LIMIT} characters (including spaces) in the search list"
        errors.append(invalid(path, searches, detail))
    for index, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            messages = is_dns1123_subdomain_with_underscore(domain)
            errors += [invalid(path.item(index), domain, message) for message in messages]
    return errors


def validate_pod_spec(
    spec: PodSpec, path: FieldPath, rules: SpecRules, *, pod_name: str = "", annotations: Mapping[str, str]
) -> list[FieldError]:
    """Validate the spec of a pod or pod template.

    `rules` says whether `spec` belongs to a pod or a template. For a template, `pod_name` and `annotations` are empty,
    because the name and the annotations of its pods are not known.
    """
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


def validate_pod_template_spec(template: PodTemplateSpec, path: FieldPath) -> list[FieldError]:
    """Validate a pod template by the rules for pods that do not depend on the pod's name or annotations."""
    labels, annotations, spec = template.metadata.labels, template.metadata.annotations, template.spec
    spec_path = path.child("spec")
    errors = validate_labels(labels, path.child("labels"))
    errors += validate_annotations(annotations, path.child("annotations"))
    errors += validate_pod_annotations(annotations, spec, path.child("annotations"))
    errors += validate_pod_spec(spec, spec_path, _TEMPLATE_RULES, annotations={})
    errors += validate_seccomp_agreement(annotations, spec, spec_path)
    errors += validate_apparmor_agreement(annotations, spec, spec_path)
    if spec.ephemeralContainers:
        detail = "ephemeral containers not allowed in pod template"
        errors.append(forbidden(spec_path.child("ephemeralContainers"), detail))
    return errors
