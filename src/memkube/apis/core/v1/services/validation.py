"""Validation of Services, in kube-apiserver's order. Ports and addresses have modules of their own.

Source: ``pkg/apis/core/validation``.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    invalid_typed,
    not_supported,
    not_supported_string,
    required,
)
from memkube.apimachinery.ip_addresses import parse_ip, validate_cidr, validate_ip
from memkube.apimachinery.meta.validation.labels import validate_label_name, validate_labels
from memkube.apimachinery.names import (
    is_dns1123_subdomain,
    is_port_number,
    label_name,
)
from memkube.apis.core.v1.endpoints.validation import validate_endpoint_ip
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.services.allocation import needs_health_check
from memkube.apis.core.v1.services.families import (
    EXTERNAL_NAME,
    is_headless,
    validate_address_changes,
    validate_addresses,
)
from memkube.apis.core.v1.services.ports import validate_port_numbers, validate_ports
from memkube.apis.core.v1.services.types import (
    LoadBalancerIngress,
    Service,
    ServiceSpec,
    SessionAffinityConfig,
)

TOPOLOGY_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
TOPOLOGY_MODE: Final = "service.kubernetes.io/topology-mode"
_SOURCE_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_METADATA: Final = FieldPath("metadata")
_ANNOTATIONS: Final = _METADATA.child("annotations")
_SPEC: Final = FieldPath("spec")
_PORTS: Final = _SPEC.child("ports")
_INGRESS: Final = FieldPath("status").child("loadBalancer").child("ingress")
_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES: Final = ("ClientIP", "None")
_TRAFFIC_POLICIES: Final = ("Cluster", "Local")
_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_ADDRESS_MODES: Final = ("Proxy", "VIP")
_LONGEST_AFFINITY: Final = 86_400
_BALANCED: Final = "may only be used when `type` is 'LoadBalancer'"


def validate_service(service: Service) -> list[FieldError]:
    """Validate a new service (``ValidateServiceCreate``); its name must be a DNS label."""
    return validate_metadata(service.metadata, label_name, namespaced=True) + _validate(service, None)


def validate_service_update(new: Service, old: Service) -> list[FieldError]:
    """Validate an update of a Service: cluster IPs, load balancer class and health check node port are immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    errors += validate_address_changes(new, old)
    if new.spec.type == old.spec.type == "LoadBalancer" and new.spec.loadBalancerClass != old.spec.loadBalancerClass:
        path = _SPEC.child("loadBalancerClass")
        errors.append(invalid_typed(path, new.spec.loadBalancerClass, "may not change once set"))
    errors += _validate_class(new.spec)
    changes_port = new.spec.healthCheckNodePort != old.spec.healthCheckNodePort
    if needs_health_check(new) and needs_health_check(old) and changes_port:
        errors.append(forbidden(_SPEC.child("healthCheckNodePort"), "field is immutable"))
    return errors + _validate(new, old)


def validate_service_status_update(new: Service, old: Service) -> list[FieldError]:
    """Validate an update of a Service's status: only services of type LoadBalancer may have ingress points."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    ingress = new.status.loadBalancer.ingress
    if new.spec.type != "LoadBalancer" and ingress:
        return [*errors, forbidden(_INGRESS, "may only be used when `spec.type` is 'LoadBalancer'")]
    kept = [point.ip for point in old.status.loadBalancer.ingress if point.ip]
    for index, point in enumerate(ingress):
        errors += _validate_ingress(point, kept, _INGRESS.item(index))
    return errors


def _validate(service: Service, old: Service | None) -> list[FieldError]:
    """Validate all fields of a service except its metadata, in kube-apiserver's order."""
    spec = service.spec
    errors = _validate_topology(service.metadata.annotations)
    if not spec.ports and not is_headless(service) and spec.type != EXTERNAL_NAME:
        errors.append(required(_PORTS))
    errors += _validate_for_type(service)
    errors += validate_ports(spec.ports)
    errors += validate_labels(spec.selector, _SPEC.child("selector"))
    errors += _validate_affinity(spec)
    errors += validate_addresses(service, old)
    errors += _validate_external_addresses(spec, old.spec.externalIPs if old else [])
    if not spec.type:
        errors.append(required(_SPEC.child("type")))
    elif spec.type not in _TYPES:
        errors.append(not_supported(_SPEC.child("type"), spec.type, _TYPES))
    errors += validate_port_numbers(spec)
    errors += _validate_sources(service, old)
    errors += _validate_balancer(spec)
    errors += _validate_traffic(service)
    return errors


def _validate_topology(annotations: Mapping[str, str]) -> list[FieldError]:
    hints, mode = annotations.get(TOPOLOGY_HINTS), annotations.get(TOPOLOGY_MODE)
    if hints is None or mode is None or hints == mode:
        return []
    detail = f"must match annotations[{TOPOLOGY_HINTS}] when both are specified"
    return [invalid(_ANNOTATIONS.key(TOPOLOGY_MODE), mode, detail)]


def _validate_for_type(service: Service) -> list[FieldError]:
    spec = service.spec
    if spec.type in ("LoadBalancer", "NodePort") and is_headless(service):
        detail = f"may not be set to 'None' for {spec.type} services"
        return [invalid(_SPEC.child("clusterIPs").item(0), spec.clusterIPs[0], detail)]
    if spec.type != EXTERNAL_NAME:
        return []
    set_fields = {"clusterIPs": spec.clusterIPs, "ipFamilies": spec.ipFamilies, "ipFamilyPolicy": spec.ipFamilyPolicy}
    errors = [
        forbidden(_SPEC.child(name), "may not be set for ExternalName services")
        for name, value in set_fields.items()
        if value or value == ""
    ]
    path, name = _SPEC.child("externalName"), spec.externalName.removesuffix(".")
    problems = [invalid(path, name, problem) for problem in is_dns1123_subdomain(name)]
    return errors + (problems if name else [required(path)])


def _validate_affinity(spec: ServiceSpec) -> list[FieldError]:
    path, config = _SPEC.child("sessionAffinity"), _SPEC.child("sessionAffinityConfig")
    if not spec.sessionAffinity:
        return [required(path)]
    if spec.sessionAffinity not in _AFFINITIES:
        return [not_supported(path, spec.sessionAffinity, _AFFINITIES)]
    if spec.sessionAffinity == "ClientIP":
        return _validate_client_affinity(spec.sessionAffinityConfig, config)
    if spec.sessionAffinityConfig is not None:
        return [forbidden(config, "must not be set when session affinity is None")]
    return []


def _validate_client_affinity(config: SessionAffinityConfig | None, path: FieldPath) -> list[FieldError]:
    missing = "when session affinity type is ClientIP"
    if config is None:
        return [required(path, missing)]
    if config.clientIP is None:
        return [required(path.child("clientIP"), missing)]
    seconds, path = config.clientIP.timeoutSeconds, path.child("clientIP").child("timeoutSeconds")
    if seconds is None:
        return [required(path, missing)]
    if 0 < seconds <= _LONGEST_AFFINITY:
        return []
    return [invalid(path, seconds, f"must be greater than 0 and less than {_LONGEST_AFFINITY}")]


def _validate_external_addresses(spec: ServiceSpec, kept: list[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, text in enumerate(spec.externalIPs):
        path = _SPEC.child("externalIPs").item(index)
        errors += validate_ip(path, text, kept) or validate_endpoint_ip(text, path)
    return errors


def _validate_sources(service: Service, old: Service | None) -> list[FieldError]:
    """Validate the source ranges of a load balancer: those in the field, or else those in the annotation.

    Whitespace around a range is accepted.
    """
    spec, annotation = service.spec, service.metadata.annotations.get(_SOURCE_RANGES)
    path = (
        _SPEC.child("LoadBalancerSourceRanges") if spec.loadBalancerSourceRanges else _ANNOTATIONS.key(_SOURCE_RANGES)
    )
    if not spec.loadBalancerSourceRanges and annotation is None:
        return []
    errors = [] if spec.type == "LoadBalancer" else [forbidden(path, _BALANCED)]
    if spec.loadBalancerSourceRanges:
        kept = [text.strip() for text in old.spec.loadBalancerSourceRanges] if old else []
        for index, text in enumerate(spec.loadBalancerSourceRanges):
            errors += validate_cidr(path.item(index), text.strip(), kept)
    elif annotation and annotation.strip() and _is_new_annotation(annotation, old):
        for text in annotation.strip().split(","):
            errors += validate_cidr(path, text.strip())
    return errors


def _is_new_annotation(annotation: str, old: Service | None) -> bool:
    return old is None or old.metadata.annotations.get(_SOURCE_RANGES) != annotation


def _validate_balancer(spec: ServiceSpec) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.allocateLoadBalancerNodePorts is not None and spec.type != "LoadBalancer":
        errors.append(forbidden(_SPEC.child("allocateLoadBalancerNodePorts"), _BALANCED))
    if spec.type == "LoadBalancer" and spec.allocateLoadBalancerNodePorts is None:
        errors.append(required(FieldPath("allocateLoadBalancerNodePorts")))
    return errors + _validate_class(spec)


def _validate_class(spec: ServiceSpec) -> list[FieldError]:
    path = _SPEC.child("loadBalancerClass")
    if spec.loadBalancerClass is None:
        return []
    if spec.type != "LoadBalancer":
        return [forbidden(path, _BALANCED)]
    return validate_label_name(spec.loadBalancerClass, path)


def is_externally_accessible(spec: ServiceSpec) -> bool:
    """True if the service accepts traffic from outside the cluster."""
    return spec.type in ("LoadBalancer", "NodePort") or (spec.type == "ClusterIP" and bool(spec.externalIPs))


def _validate_traffic(service: Service) -> list[FieldError]:
    return [*_external_traffic(service.spec), *_health_check(service), *_internal_traffic(service.spec)]


def _external_traffic(spec: ServiceSpec) -> Iterator[FieldError]:
    path, policy = _SPEC.child("externalTrafficPolicy"), spec.externalTrafficPolicy
    if not is_externally_accessible(spec):
        if policy:
            yield invalid_typed(path, policy, "may only be set for externally-accessible services")
    elif not policy:
        yield required(path)
    elif policy not in _TRAFFIC_POLICIES:
        yield not_supported(path, policy, _TRAFFIC_POLICIES)


def _health_check(service: Service) -> Iterator[FieldError]:
    path, port = _SPEC.child("healthCheckNodePort"), service.spec.healthCheckNodePort
    if not needs_health_check(service):
        if port:
            only = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
            yield invalid(path, port, only)
    elif not port:
        yield required(path)
    else:
        yield from (invalid(path, port, problem) for problem in is_port_number(port))


def _internal_traffic(spec: ServiceSpec) -> Iterator[FieldError]:
    path, policy = _SPEC.child("internalTrafficPolicy"), spec.internalTrafficPolicy
    if policy is None:
        if spec.type in ("NodePort", "LoadBalancer", "ClusterIP"):
            yield required(path)
    elif policy not in _TRAFFIC_POLICIES:
        yield not_supported(path, policy, _TRAFFIC_POLICIES)
    distribution = spec.trafficDistribution
    if distribution is not None and distribution not in _DISTRIBUTIONS:
        yield not_supported_string(_SPEC.child("trafficDistribution"), distribution, _DISTRIBUTIONS)


def _validate_ingress(point: LoadBalancerIngress, kept: list[str], path: FieldPath) -> list[FieldError]:
    errors = validate_ip(path.child("ip"), point.ip, kept) if point.ip else []
    mode, mode_path = point.ipMode, path.child("ipMode")
    if mode is None:
        if point.ip:
            errors.append(required(mode_path, "must be specified when `ip` is set"))
    elif not point.ip:
        errors.append(forbidden(mode_path, "may not be specified when `ip` is not set"))
    elif mode not in _ADDRESS_MODES:
        errors.append(not_supported(mode_path, mode, _ADDRESS_MODES))
    if point.hostname:
        host = path.child("hostname")
        errors += [invalid(host, point.hostname, problem) for problem in is_dns1123_subdomain(point.hostname)]
        if parse_ip(point.hostname) is not None:
            errors.append(invalid(host, point.hostname, "must be a DNS name, not an IP address"))
    return errors
